import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'

import { launchChromium } from '../support/chromium.ts'
import { createFakeCamera } from '../support/fake-camera.ts'
import { startService } from '../support/running-service.ts'
import { add, button, headline, phones, seen, setHidden } from './phone.ts'

const camera = await createFakeCamera()
const browser = await launchChromium({ args: camera.args })
const phone = await phones({ browser })
afterAll(async () => {
  await browser.close()
  camera.remove()
})

/** Whether the light of the camera is on. */
const isFilming = (page: Page) =>
  page.evaluate(() => {
    const stream = document.querySelector('video')?.srcObject
    return stream instanceof MediaStream && stream.getTracks().some((track) => track.readyState === 'live')
  })

/** The light may also be on with no picture on the page: counts every camera that was opened. */
async function watchCameras(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const opened: MediaStream[] = []
    const open = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices)
    if (!open) return
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints)
      opened.push(stream)
      return stream
    }
    Object.assign(window, {
      filming: () => opened.flatMap((each) => each.getTracks()).filter((track) => track.readyState === 'live').length,
    })
  })
  await page.reload()
  return () => page.evaluate(() => (window as unknown as { filming(): number }).filming())
}

describe('scanning', () => {
  it('reads the QR code of the web page, and continues like the link', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    await camera.look(`${service.url}/authenticator/#code=${code}`)
    const page = await phone.open(service)

    await button(page, 'Scan QR code').click()
    await headline(page, 'Add this account?')
    await add(page)

    expect(await seen(page.getByText('alice'))).toBe(true)
  })

  it('loads the decoder only when the camera opens', async () => {
    const service = await startService()
    await camera.look()
    const page = await phone.open(service)
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))
    await page.reload()
    await button(page, 'Scan QR code').waitFor()
    const before = fetched.filter((url) => url.includes('/decode-'))

    await button(page, 'Scan QR code').click()
    await expect.poll(() => fetched.filter((url) => url.includes('/decode-')).length).toBe(1)

    expect(before).toEqual([])
  })

  it('rejects a code of another address with a message', async () => {
    await camera.look('https://evil.example/authenticator/#code=abcdefgh23')
    const page = await phone.open(await startService())

    await button(page, 'Scan QR code').click()

    expect(await seen(page.getByRole('alert').getByText('belongs to another address'))).toBe(true)
  })

  it('continues when the code is for something else', async () => {
    await camera.look('otpauth://totp/Shop:alice?secret=JBSWY3DPEHPK3PXP')
    const page = await phone.open(await startService())

    await button(page, 'Scan QR code').click()
    await seen(page.getByRole('alert').getByText('doesn’t contain an activation code'))

    expect(await isFilming(page)).toBe(true)
  })

  it.each([
    ['is left', (page: Page) => button(page, 'Type the code instead').click()],
    ['is hidden', (page: Page) => setHidden(page, true)],
  ])('turns the camera off when it %s', async (_, leave) => {
    await camera.look()
    const page = await phone.open(await startService())
    const filming = await watchCameras(page)
    await button(page, 'Scan QR code').click()
    await expect.poll(() => isFilming(page)).toBe(true)

    await leave(page)

    await expect.poll(filming).toBe(0)
  })

  it('turns the camera on again when the page is visible again', async () => {
    await camera.look()
    const page = await phone.open(await startService())
    await button(page, 'Scan QR code').click()
    await expect.poll(() => isFilming(page)).toBe(true)
    await setHidden(page, true)
    await expect.poll(() => isFilming(page)).toBe(false)

    await setHidden(page, false)

    await expect.poll(() => isFilming(page)).toBe(true)
  })

  it.each([
    ['not allowed', 'NotAllowedError', 'Camera access isn’t allowed.'],
    ['missing', 'NotFoundError', 'No camera is available'],
    ['in use elsewhere', 'NotReadableError', 'No camera is available'],
  ])('explains what to do when the camera is %s, and allows typing', async (_, name, sentence) => {
    const page = await phone.open(await startService())
    await page.addInitScript((error) => {
      navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException('', error)
      }
    }, name)
    await page.reload()

    await button(page, 'Scan QR code').click()
    await seen(page.getByRole('alert').getByText(sentence))
    await button(page, 'Type the code instead').click()

    expect(await seen(page.getByLabel('Activation code or link'))).toBe(true)
  })
})

describe('the camera', () => {
  it('is allowed for this page only, and no other powerful feature is', async () => {
    const service = await startService()

    const { headers } = await fetch(`${service.url}/authenticator/`)

    expect(headers.get('permissions-policy')).toBe('camera=(self), geolocation=(), microphone=(), payment=(), usb=()')
  })
})
