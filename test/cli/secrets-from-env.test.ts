import { describe, expect, it } from 'vitest'

import { secretsFromEnv } from '../../src/cli/serve/settings-from-env.ts'

describe('settings of secrets in the environment', () => {
  it('settings for secrets in the environment are passed on unchanged', () => {
    expect(secretsFromEnv({ MFA_KEYS: 'k1:x', MFA_BYPASS_CODES: 'once' })).toEqual({
      keys: 'k1:x',
      bypassCodes: 'once',
    })
    expect(secretsFromEnv({ MFA_KEYS: '', MFA_BYPASS_CODES: '' })).toEqual({})
  })

  it('settings for secrets in the environment are rejected when they are invalid', () => {
    expect(() => secretsFromEnv({ MFA_BYPASS_CODES: 'Once' })).toThrow('MFA_BYPASS_CODES: expected readable or once.')
  })
})
