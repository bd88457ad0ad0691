import { describe, expect, it } from 'vitest'

import { acceptedVersion, defaultVendor, Vendor } from '../../src/contract/media-type.ts'

describe('the version that an Accept header requests', () => {
  it.each([
    [undefined, '1.3'],
    ['', '1.3'],
    ['*/*', '1.3'],
    ['application/*', '1.3'],
    ['application/vnd.service.v1+json', '1.3'],
    ['APPLICATION/VND.SERVICE.V1+JSON', '1.3'],
    ['application/vnd.service.v1+json; version=1.3', '1.3'],
    ['application/vnd.service.v1+json; version=1.4', '1.4'],
    ['application/vnd.service.v1+json;version="1.4"', '1.4'],
    ['application/vnd.service.v1+json; version=1.4, application/vnd.service.v1+json; q=0.9', '1.4'],
    ['application/vnd.service.v1+json; version=1.4; q=0.1, */*', '1.3'],
    ['text/html, */*; q=0.1', '1.3'],
  ])('the Accept header %j requests version %s', (accept, version) => {
    expect(acceptedVersion(defaultVendor, accept)).toBe(version)
  })

  it.each([
    'application/vnd.service.v2+json',
    'application/vnd.service.v1+json; version=1.5',
    'application/vnd.other.v1+json',
    'text/html',
    '*/*; q=0',
  ])('the Accept header %j requests no known version', (accept) => {
    expect(acceptedVersion(defaultVendor, accept)).toBeUndefined()
  })

  it('an Accept header requests a version by the vendor word', () => {
    const vendor = Vendor.parse({ mediaType: 'acme' })

    expect(acceptedVersion(vendor, 'application/vnd.acme.v1+json; version=1.4')).toBe('1.4')
    expect(acceptedVersion(vendor, 'application/vnd.service.v1+json')).toBeUndefined()
  })
})
