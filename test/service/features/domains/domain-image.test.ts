import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createClient } from '../../../../src/client/client.ts'
import { startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const png = Buffer.from('89504e470d0a1a0a', 'hex')

/** A whole chunk of text. */
const comment = Buffer.from('000000047445587461006263b76e7fe9', 'hex')

async function read(headers: Record<string, string> = {}, domainId = running.domain.id, method = 'GET') {
  const response = await fetch(`${running.origin}/api/domains/${domainId}/image`, {
    method,
    headers: { authorization: `Service key="${running.apiKey}"`, ...headers },
  })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('the image of a domain', () => {
  it('the image of a domain is a neutral PNG until the domain has its own', async () => {
    const { response, bytes } = await read()

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(bytes.subarray(0, 8)).toEqual(png)
  })

  it.each([
    'image/png',
    'image/*',
    '*/*',
    'application/vnd.service.v1+json',
    'application/vnd.service.v1+json; version=1.4',
  ])('the image of a domain is returned for Accept: %s', async (accept) => {
    const { response } = await read({ accept })

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  it.each(['image/jpeg', 'text/html', 'image/png;q=0'])(
    'the image of a domain is not acceptable for Accept: %s',
    async (accept) => {
      expect((await read({ accept })).response.status).toBe(406)
    },
  )

  it.each([
    ['as returned', (tag: string) => tag],
    ['marked as weak by a proxy', (tag: string) => `W/${tag}`],
    ['among others', (tag: string) => `"other", ${tag}`],
    ['as *', () => '*'],
  ])('the image of a domain is not sent again if If-None-Match names its tag %s', async (_how, name) => {
    const etag = (await read()).response.headers.get('etag') ?? ''

    const { response, bytes } = await read({ 'if-none-match': name(etag) })

    expect([response.status, bytes.length]).toEqual([304, 0])
    expect(response.headers.get('etag')).toBe(etag)
  })

  it('the image of a domain is sent again if If-None-Match names another tag', async () => {
    expect((await read({ 'if-none-match': '"other"' })).response.status).toBe(200)
  })

  it('the image of a domain reaches the client, custom or neutral, and changes its tag', async () => {
    const client = createClient({ baseUrl: `${running.origin}/api`, apiKey: running.apiKey })
    const { organization, domain, service } = running
    const own = await client.domains.image(domain.id)
    const before = (await read()).response.headers.get('etag') ?? ''
    // A different file with the same picture.
    const other = Buffer.concat([own.bytes.subarray(0, -12), comment, own.bytes.subarray(-12)])

    await service.administration.setDomainImage(organization.id, domain.id, other)
    const changed = await client.domains.image(domain.id)
    const { response } = await read({ 'if-none-match': before })
    await service.administration.removeDomainImage(organization.id, domain.id)

    expect(own.type).toBe('image/png')
    expect(Buffer.from(changed.bytes)).toEqual(other)
    expect(response.status).toBe(200)
    expect(await client.domains.image(domain.id)).toEqual(own)
    await expect(client.domains.image(unknownId)).rejects.toMatchObject({ code: 'api.error.notfound.domain' })
  })

  it('the image of a domain answers HEAD requests without a body', async () => {
    const { response, bytes } = await read({}, running.domain.id, 'HEAD')

    expect([response.status, response.headers.get('content-type'), bytes.length]).toEqual([200, 'image/png', 0])
  })

  it('the image of an unknown domain returns the usual error', async () => {
    const { response, bytes } = await read({ accept: 'image/png' }, unknownId)

    expect(response.status).toBe(404)
    expect(JSON.parse(bytes.toString()).errors[0].code).toBe('api.error.notfound.domain')
  })
})

describe('the image of a domain for devices', () => {
  const url = (domainId: string) => `${running.origin}/device/images/${domainId}`

  it('the domain image for devices needs no signature and is one invisible pixel if the domain has none', async () => {
    const { organization, domain, service } = running
    const missing = await fetch(url(domain.id))
    const unknown = await fetch(url(unknownId))
    await service.administration.setDomainImage(organization.id, domain.id, (await read()).bytes)

    const own = await fetch(url(domain.id))
    const notModified = await fetch(url(domain.id), { headers: { 'if-none-match': own.headers.get('etag') ?? '' } })
    await service.administration.removeDomainImage(organization.id, domain.id)

    expect([missing, unknown, own, notModified].map(({ status }) => status)).toEqual([200, 200, 200, 304])
    expect(own.headers.get('x-content-type-options')).toBe('nosniff')
    expect(Buffer.from(await own.arrayBuffer())).toEqual((await read()).bytes)
    // The response does not reveal which domains exist.
    expect(await missing.text()).toBe(await unknown.text())
  })

  it('the domain image for devices is not available to pages of other sites, and is read-only', async () => {
    const elsewhere = await fetch(url(running.domain.id), { headers: { 'sec-fetch-site': 'cross-site' } })
    const written = await fetch(url(running.domain.id), { method: 'PUT' })

    expect([elsewhere.status, written.status]).toEqual([403, 405])
  })
})
