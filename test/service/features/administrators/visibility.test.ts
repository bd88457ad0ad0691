import { describe, expect, it } from 'vitest'

import { visibleTo } from '../../../../src/service/features/administrators/call.ts'

const organizationId = 'be'.repeat(20)

describe('what is visible to a call', () => {
  it('a command-line call sees the whole organization', () => {
    const call = { organizationId, actor: { kind: 'cli', id: 'root' } } as const

    expect(visibleTo(call)).toEqual({ organizationId, domainIds: null })
  })

  it('a call with an API key, or from the console before sign-in, sees nothing', () => {
    const console = {
      origin: 'https://c.example',
      rpId: 'c.example',
      administrator: undefined,
      countUnsigned: () => {},
    }
    const apiKey = { organizationId, actor: { kind: 'api_key', id: organizationId } } as const

    expect(() => visibleTo(apiKey)).toThrow(/Only the console/)
    expect(() => visibleTo({ ...apiKey, console })).toThrow(/Sign in/)
  })
})
