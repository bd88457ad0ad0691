import { describe, expect, it } from 'vitest'

import { createClient } from 'second-factor/client'

const apiKey = 'k'.repeat(64)

describe('createClient', () => {
  it.each([
    [{ baseUrl: 'ftp://mfa.example', apiKey }, /baseUrl: must be an http\(s\) address/],
    [{ baseUrl: 'https://mfa.example/api', apiKey: 'short' }, /apiKey: must be the API key of 64 characters/],
    [{ baseUrl: 'https://mfa.example/api', apiKey, timeuot: 5 }, /timeuot/],
    [{ baseUrl: 'https://mfa.example/api', apiKey, timeout: 0 }, /timeout/],
  ])('createClient() names the wrong option and what is expected: %#', (options, message) => {
    expect(() => createClient(options as never)).toThrow(TypeError)
    expect(() => createClient(options as never)).toThrow(message)
  })

  it('createClient() never shows a wrong API key', () => {
    expect(() => createClient({ baseUrl: 'https://mfa.example', apiKey: 'hunter2' })).not.toThrow(/hunter2/)
  })

  it('createClient() allows http only to this machine, unless allowInsecureHttp is set', () => {
    expect(() => createClient({ baseUrl: 'http://mfa.example/api', apiKey })).toThrow(/https/)
    expect(() => createClient({ baseUrl: 'http://127.0.0.1:8787/api', apiKey })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://[::1]:8787/api', apiKey })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://mfa.example/api', apiKey, allowInsecureHttp: true })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://127.0.0.1.evil.example/api', apiKey })).toThrow(/https/)
  })
})
