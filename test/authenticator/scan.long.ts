import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { scanCodeText } from '../../src/contract/scan-code.ts'
import { random128 } from '../support/device-signer.ts'
import { size } from '../support/fake-camera.ts'
import { keptPage } from '../support/kept-page.ts'
import { startService } from '../support/running-service.ts'
import { camera, sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'
import { beginMove } from './move.ts'
import { add, fromDesk, phones, small } from './phone.ts'
import { button, headline, appears, setHidden } from './screen.ts'

const browser = await sharedChromium()
const phone = await phones()

/** Whether the light of the camera is on. */
const isFilming = (page: Page) =>
  page.evaluate(() => {
    const stream = document.querySelector('video')?.srcObject
    return stream instanceof MediaStream && stream.getTracks().some((track) => track.readyState === 'live')
  })

/** An app without an account. The light may also be on with no picture on the page: counts every camera that was opened. */
async function openWatched() {
  const page = await phone.open(await startService())
  await page.evaluate(countCameras)
  const count = (name: 'opened' | 'filming') =>
    page.evaluate((key) => (window as unknown as Record<string, () => number>)[key]!(), name)
  return { page, opened: () => count('opened'), filming: () => count('filming') }
}

/** Runs in the page. */
function countCameras() {
  const opened: MediaStream[] = []
  const open = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices)
  if (!open) return
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const stream = await open(constraints)
    opened.push(stream)
    return stream
  }
  Object.assign(window, {
    opened: () => opened.length,
    filming: () => opened.flatMap((each) => each.getTracks()).filter((track) => track.readyState === 'live').length,
  })
}

describe('scanning', () => {
  it('scanning reads the QR code of the web page, and continues like the link', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    await camera.look(`${service.url}/authenticator/#code=${code}`)
    const page = await phone.open(service)

    await button(page, 'Scan QR code').click()
    await headline(page, 'Add this account?')
    await add(page)

    expect(await appears(page.getByText('alice'))).toBe(true)
  })

  it('scanning reads the code of an old phone, and takes its account over', async () => {
    const { service, page: old } = await phone.joined()
    const fresh = await phone.open(service)
    await camera.look(`${service.url}/authenticator/${await beginMove(old)}`)

    await button(fresh, 'Scan QR code').click()
    await headline(fresh, 'Add this account?')
    await button(fresh, 'Add this account').click()
    await button(old, 'Move').click()

    expect(await appears(fresh.getByText('Nothing to approve'))).toBe(true)
  })

  it('scanning loads the decoder only when the camera opens', async () => {
    const service = await startService()
    await camera.look()
    const page = await phone.open(service)
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))
    await page.reload()
    await button(page, 'Scan QR code').waitFor()
    const decoderUrlsBefore = fetched.filter((url) => url.includes('/decode-'))

    await button(page, 'Scan QR code').click()
    await expect.poll(() => fetched.filter((url) => url.includes('/decode-')).length).toBe(1)

    expect(decoderUrlsBefore).toEqual([])
  })

  it('scanning rejects a code of another address with a message', async () => {
    await camera.look('https://evil.example/authenticator/#code=abcdefgh23')
    const page = await phone.open(await startService())

    await button(page, 'Scan QR code').click()

    expect(await appears(page.getByRole('alert').getByText('belongs to another address'))).toBe(true)
  })

  it('scanning continues when the code is for something else', async () => {
    await camera.look('otpauth://totp/Shop:alice?secret=JBSWY3DPEHPK3PXP')
    const page = await phone.open(await startService())

    await button(page, 'Scan QR code').click()
    await appears(page.getByRole('alert').getByText('doesn’t contain an activation code'))

    expect(await isFilming(page)).toBe(true)
  })

  it.each([
    ['is left', (page: Page) => button(page, 'Type the code instead').click()],
    ['is hidden', (page: Page) => setHidden(page, true)],
  ])('scanning turns the camera off when its screen %s', async (_, leave) => {
    await camera.look()
    const { page, filming } = await openWatched()
    await button(page, 'Scan QR code').click()
    await expect.poll(() => isFilming(page)).toBe(true)

    await leave(page)

    await expect.poll(filming).toBe(0)
  })

  it('scanning turns the camera on again when the page is visible again', async () => {
    await camera.look()
    const { page, opened } = await openWatched()
    await button(page, 'Scan QR code').click()
    await expect.poll(() => isFilming(page)).toBe(true)
    await setHidden(page, true)
    await expect.poll(() => isFilming(page)).toBe(false)

    await setHidden(page, false)

    await expect.poll(() => isFilming(page)).toBe(true)
    expect(await opened()).toBe(2)
  })

  it('scanning explains what to do when the camera is not allowed, missing or in use elsewhere, and allows typing', async () => {
    const page = await phone.open(await startService())

    for (const [name, sentence] of [
      ['NotAllowedError', 'Camera access isn’t allowed.'],
      ['NotFoundError', 'No camera is available'],
      ['NotReadableError', 'No camera is available'],
    ] as const) {
      await page.evaluate((error) => {
        navigator.mediaDevices.getUserMedia = async () => {
          throw new DOMException('', error)
        }
      }, name)
      await button(page, 'Scan QR code').click()
      await appears(page.getByRole('alert').getByText(sentence))
      await button(page, 'Type the code instead').click()
      expect(await appears(page.getByLabel('Activation code or link'))).toBe(true)
    }
  })
})

/** The page as a camera films it: the brightness of each pixel. */
async function filmed(page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString('base64')
  const pixels = await page.evaluate(
    async ({ width, height, source }) => {
      const image = Object.assign(new Image(), { src: source })
      await image.decode()
      const pen = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')!
      pen.drawImage(image, 0, 0, width, height)
      const { data } = pen.getImageData(0, 0, width, height)
      // One text: Playwright would look at each number of an array.
      return Array.from({ length: width * height }, (_, index) => String.fromCharCode(data[index * 4 + 1]!)).join('')
    },
    { ...size, source: `data:image/png;base64,${png}` },
  )
  return Buffer.from(pixels, 'latin1')
}

/** A phone with an open request, and the code that belongs to it. */
async function askedOnPhone(keyType: 'NONE' | 'PIN' = 'NONE') {
  const { service, page } = await phone.joined({
    domain: { keyType },
    context: small,
    ...(keyType === 'PIN' && { pin: '2580' }),
  })
  const { id, number, scanSecret: secret = '' } = await service.ask('alice', fromDesk)
  await headline(page, 'Sign in to Wiki?')
  const calls: string[] = []
  page.on('request', (request) => calls.push(request.url()))
  return {
    service,
    page,
    number,
    code: scanCodeText({ sessionId: id, secret }),
    wrong: scanCodeText({ sessionId: id, secret: random128() }),
    state: () => service.state(id),
    scans: () => calls.filter((url) => url.endsWith('/scan')).length,
    open: () => button(page, 'Scan instead').tap(),
  }
}

describe('scanning in place of typing the number', () => {
  it('scanning in place of typing reads the code on the web page, and approves only when Approve is pressed', async () => {
    const app = await startWebApp()
    const browserOfAlice = app.browser()
    await app.signIn(browserOfAlice, 'alice')
    const [code] = /code=[a-z0-9]{10}/.exec((await browserOfAlice.visit('/account')).text) ?? []
    const page = await phone.open({ url: `${app.url}/mfa` }, `#${code}`, small)
    await add(page)
    const desk = await keptPage(browser, { viewport: size, colorScheme: 'dark' })
    await desk.context().addCookies(browserOfAlice.cookiesAt(app.url))
    await desk.goto(`${app.url}/mfa`)
    await desk.getByText('Scan instead').click()
    await desk.getByRole('img', { name: 'Scan this in the authenticator.' }).scrollIntoViewIfNeeded()
    const number = await desk.locator('#number').innerText()
    await headline(page, 'Sign in to Test?')
    await camera.film(await filmed(desk))

    await button(page, 'Scan instead').tap()

    // Until the camera is loaded, the field is still there.
    await expect.poll(() => page.locator('#number').inputValue()).toBe(number)
    expect(await page.locator('video').count()).toBe(0)
    expect(await desk.locator('#number').count()).toBe(1)
    await button(page, 'Approve').tap()
    await desk.waitForURL(`${app.url}/account`)
  })

  it('scanning in place of typing warns of codes on other screens, and asks for the PIN after the code', async () => {
    const { page, code, number, state, open } = await askedOnPhone('PIN')
    await camera.look()
    await open()
    await appears(page.getByText('Scan only a code on your own screen.'))
    await button(page, 'Type the number instead').tap()
    await camera.look(code)

    await open()
    await page.locator('#pin').waitFor()

    expect(await button(page, 'Approve').getAttribute('aria-disabled')).toBe('true')
    expect(await state()).toMatchObject({ state: 'pending', number })
  })

  it.each([
    ['of another request', (id: string) => scanCodeText({ sessionId: id, secret: random128() })],
    ['for something else', () => 'https://wiki.example/'],
  ])(
    'scanning in place of typing does not take a code %s, does not say whose it is, and sends nothing',
    async (_, codeOf) => {
      const { page, state, scans, open } = await askedOnPhone()
      await camera.look(codeOf('0'.repeat(40)))

      await open()
      await appears(page.getByRole('alert').getByText('That isn’t the code of this request.'))

      expect(scans()).toBe(0)
      expect(await isFilming(page)).toBe(true)
      expect((await state()).state).toBe('pending')
    },
  )

  it('scanning in place of typing ends the request when the secret in its code is wrong', async () => {
    const { page, wrong, state, open } = await askedOnPhone()
    await camera.look(wrong)

    await open()
    await headline(page, 'The numbers didn’t match')

    expect(await state()).toMatchObject({ state: 'denied', reason: 'wrong_number' })
  })

  it('scanning in place of typing explains what to do when there is no camera, and returns to typing', async () => {
    const { page, number, open } = await askedOnPhone()
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('', 'NotAllowedError')
      }
    })

    await open()
    await appears(page.getByRole('alert').getByText('Camera access isn’t allowed.'))
    await page.locator('#number').fill(number!)
    await button(page, 'Approve').tap()

    expect(await headline(page, 'Approved')).toBe(true)
  })
})

describe('the camera', () => {
  it('the camera is allowed for the authenticator page only, and no other powerful feature is', async () => {
    const service = await startService()

    const { headers } = await fetch(`${service.url}/authenticator/`)

    expect(headers.get('permissions-policy')).toBe('camera=(self), geolocation=(), microphone=(), payment=(), usb=()')
  })
})
