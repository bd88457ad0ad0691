import { describe, expect, it } from 'vitest'

import { answerFormat, defaultVendor, Vendor } from '../../src/contract/media-type.ts'

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
    expect(answerFormat(defaultVendor, { accept })).toEqual({ version, plain: false })
  })

  it.each([
    'application/vnd.service.v2+json',
    'application/vnd.service.v1+json; version=1.5',
    'application/vnd.other.v1+json',
    'text/html',
    '*/*; q=0',
    'application/json; version=2',
  ])('the Accept header %j requests no known version', (accept) => {
    expect(answerFormat(defaultVendor, { accept })).toBeUndefined()
  })

  it('an Accept header requests a version by the vendor word', () => {
    const vendor = Vendor.parse({ mediaType: 'acme' })

    expect(answerFormat(vendor, { accept: 'application/vnd.acme.v1+json; version=1.4' })?.version).toBe('1.4')
    expect(answerFormat(vendor, { accept: 'application/vnd.service.v1+json' })).toBeUndefined()
  })

  it.each([
    [undefined, 'application/vnd.service.v1+json; version=1.4', '1.4'],
    ['*/*', 'application/vnd.service.v1+json;version=1.4', '1.4'],
    ['*/*', 'application/json; version=1.4', '1.4'],
    ['*/*', 'application/vnd.service.v1+json', '1.3'],
    ['*/*', 'application/x-www-form-urlencoded', '1.3'],
    ['application/json, text/plain, */*', undefined, '1.3'],
    ['application/vnd.service.v1+json', 'application/vnd.service.v1+json; version=1.4', '1.3'],
  ])('the Accept header %j with a body of the type %j requests version %s', (accept, contentType, version) => {
    expect(answerFormat(defaultVendor, { accept, contentType })).toEqual({ version, plain: false })
  })

  it.each([
    ['application/json', undefined, '1.3'],
    ['application/json', 'application/vnd.service.v1+json; version=1.4', '1.4'],
    ['application/json; version=1.4', undefined, '1.4'],
  ])(
    'the Accept header %j with a body of the type %j requests plain JSON in version %s',
    (accept, contentType, version) => {
      expect(answerFormat(defaultVendor, { accept, contentType })).toEqual({ version, plain: true })
    },
  )
})
