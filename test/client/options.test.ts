import { describe, expect, it } from 'vitest'

import { createClient } from 'second-factor/client'

const apiKey = 'k'.repeat(64)

describe('createClient', () => {
  it.each([
    [{ baseUrl: 'ftp://mfa.example', apiKey }, /baseUrl: must be an http\(s\) address/],
    [{ baseUrl: 'https://mfa.example/api', apiKey: 'short' }, /apiKey: must be the API key of 64 characters/],
    [{ baseUrl: 'https://mfa.example/api', apiKey, timeuot: 5 }, /timeuot/],
    [{ baseUrl: 'https://mfa.example/api', apiKey, timeout: 0 }, /timeout/],
  ])('says which option is wrong and what to write: %#', (options, message) => {
    expect(() => createClient(options as never)).toThrow(TypeError)
    expect(() => createClient(options as never)).toThrow(message)
  })

  it('never repeats a key that is wrong', () => {
    expect(() => createClient({ baseUrl: 'https://mfa.example', apiKey: 'hunter2' })).not.toThrow(/hunter2/)
  })

  it('sends the API key over http to this machine only, unless told otherwise', () => {
    expect(() => createClient({ baseUrl: 'http://mfa.example/api', apiKey })).toThrow(/https/)
    expect(() => createClient({ baseUrl: 'http://127.0.0.1:8787/api', apiKey })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://[::1]:8787/api', apiKey })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://mfa.example/api', apiKey, allowInsecureHttp: true })).not.toThrow()
    expect(() => createClient({ baseUrl: 'http://127.0.0.1.evil.example/api', apiKey })).toThrow(/https/)
  })
})
