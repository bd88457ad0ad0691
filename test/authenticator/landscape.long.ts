import { expect, it } from 'vitest'

import { phones } from './phone.ts'
import { button, headline } from './screen.ts'

const phone = await phones()

it('a request shows all its answers without scrolling on a small phone on its side, also with a number', async () => {
  const height = 320
  const { service, page } = await phone.joined({
    context: { viewport: { width: 568, height }, hasTouch: true, isMobile: true },
  })
  await service.ask('alice', { numberMatching: true })
  await headline(page, 'Sign in to Wiki?')

  for (const name of ['0', 'Deny', 'Approve', 'It wasn’t me – block and report']) {
    const { y, height: high } = (await button(page, name).boundingBox())!
    expect({ name, below: Math.max(0, y + high - height) }).toEqual({ name, below: 0 })
  }
})
