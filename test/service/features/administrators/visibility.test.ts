import { describe, expect, it } from 'vitest'

import { visibleTo } from '../../../../src/service/features/administrators/call.ts'

const organizationId = 'be'.repeat(20)

describe('what is visible to a call', () => {
  it('is the whole organization at the command line', () => {
    const call = { organizationId, actor: { kind: 'cli', id: 'root' } } as const

    expect(visibleTo(call)).toEqual({ organizationId, domainIds: null })
  })

  it('is nothing for an API key, and nothing before the sign-in to the console', () => {
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
