import { describe, expect, it } from 'vitest'

import { secretsFromEnv } from '../../src/cli/service/secrets-from-env.ts'

describe('settings of secrets in the environment', () => {
  it('are handed on as they are', () => {
    expect(secretsFromEnv({ MFA_KEYS: 'k1:x', MFA_BYPASS_CODES: 'once' })).toEqual({
      keys: 'k1:x',
      bypassCodes: 'once',
    })
    expect(secretsFromEnv({ MFA_KEYS: '', MFA_BYPASS_CODES: '' })).toEqual({})
  })

  it('are refused where they would do less than they seem to', () => {
    expect(() => secretsFromEnv({ MFA_BYPASS_CODES: 'Once' })).toThrow('MFA_BYPASS_CODES is readable or once.')
  })
})
