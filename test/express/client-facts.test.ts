import { isIP } from 'node:net'

import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { MfaOptions } from 'second-factor'

import { clientAddress } from '../../src/express/request/client-facts.ts'
import { describeInFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebApp } from '../support/web-app.ts'

/** Express 4 and 5 give `req.ip` whatever a trusted proxy wrote. */
const from = (ip: string) => ({ ip, socket: { remoteAddress: '10.0.0.1' } }) as never

describe('the address of a browser', () => {
  it('the address of a browser is a valid address or undefined, whatever trusted proxies send', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('unknown')), (rawAddress) => {
        const address = clientAddress(from(rawAddress))
        expect(address === undefined || isIP(address) > 0).toBe(true)
      }),
    )
  })

  it('a browser’s address loses the port that a proxy added, and is undefined if a proxy did not know it', () => {
    expect(
      ['198.51.100.7:443', '[2001:db8::7]:443', 'unknown'].map((rawAddress) => clientAddress(from(rawAddress))),
    ).toEqual(['198.51.100.7', '2001:db8::7', undefined])
  })
})

describeInFullRun('the option locate', () => {
  /** What the device shows of a new request. */
  async function shownBy(locate: NonNullable<MfaOptions['locate']>, atWork?: (app: WebApp) => Promise<void>) {
    const warn = vi.fn<(message: string) => void>()
    const app = await startWebApp({ mfa: { locate, logger: { info() {}, warn, error() {} } } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const account = await app.activate(await browser.visit('/account'))
    const asking = browser.visit('/mfa')
    await atWork?.(app)
    await asking
    const [request] = (await app.device.requests(account)).requests ?? []
    return { attributes: request?.attributes, warn }
  }

  it('the option locate adds the place of the address to what the device shows', async () => {
    const locate = vi.fn<(address: string) => Promise<string>>().mockResolvedValue('Lyon, France')

    const { attributes } = await shownBy(locate)

    expect(attributes).toContainEqual({ key: 'Place', value: 'Lyon, France' })
    expect(locate).toHaveBeenCalledWith('127.0.0.1')
  })

  it.each([
    ['knows no place', () => undefined],
    ['returns an empty text', () => ''],
  ])('the option locate adds nothing if it %s', async (_name, locate) => {
    expect((await shownBy(locate)).attributes?.map(({ key }) => key)).not.toContain('Place')
  })

  it('the option locate is ignored with a warning if it fails', async () => {
    const { attributes, warn } = await shownBy(() => {
      throw new Error('no data file')
    })

    expect(attributes?.map(({ key }) => key)).not.toContain('Place')
    expect(warn).toHaveBeenCalledWith('mfa: locate failed, so devices show no place: Error: no data file')
  })

  it('the option locate delays a request by 500 ms at most', async () => {
    const begun = Promise.withResolvers<void>()
    const locate = vi.fn<() => Promise<undefined>>().mockResolvedValueOnce(undefined)
    locate.mockImplementation(() => {
      begun.resolve()
      return new Promise(() => {})
    })

    const { attributes } = await shownBy(locate, async (app) => {
      await begun.promise
      await app.clock.advance(1)
    })

    expect(attributes?.map(({ key }) => key)).not.toContain('Place')
  })
})
