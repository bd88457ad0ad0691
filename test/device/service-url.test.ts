import { describe, expect, it } from 'vitest'

import { serviceUrl } from '../../src/contract/activation-link.ts'
import { parseActivationLink } from '../../src/device/service-url.ts'

describe('an activation link', () => {
  it.each([
    ['https://mfa.example/authenticator/#code=abcdefgh23', 'https://mfa.example', 'abcdefgh23'],
    ['http://localhost:3000/mfa/authenticator/#code=ABCDE-FGH23', 'http://localhost:3000/mfa', 'abcdefgh23'],
    ['https://mfa.example/authenticator#code=abcdefgh23', 'https://mfa.example', 'abcdefgh23'],
  ])('the activation link %s contains the service and the code', (link, service, code) => {
    expect(parseActivationLink(link)).toEqual({ serviceUrl: service, code })
  })

  it.each([
    'abcdefgh23',
    'https://mfa.example/#code=abcdefgh23',
    'https://mfa.example/authenticator/?code=abcdefgh23',
    'https://mfa.example/authenticator/#code=abc',
    'javascript:alert(1)//authenticator/#code=abcdefgh23',
  ])('%s is rejected as an activation link', (text) => {
    expect(parseActivationLink(text)).toBeUndefined()
  })
})

describe("a service's address", () => {
  it('a service’s address is normalized, however it was typed', () => {
    expect(serviceUrl('HTTPS://MFA.example/mfa/')).toBe('https://mfa.example/mfa')
    expect(serviceUrl('https://mfa.example')).toBe('https://mfa.example')
  })

  it('a service’s address must be http or https', () => {
    expect(() => serviceUrl('file:///etc/passwd')).toThrow(TypeError)
  })
})
