import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, it } from 'vitest'

import { readContent } from '../../src/device/approvals.ts'
import { deviceAt, id } from './scripted-service.ts'

const content = {
  approval: id('e'),
  app: { id: id('d'), name: 'Wiki' },
  requester: { kind: 'self', name: 'alice' },
  title: 'Transfer €250.00',
  details: [],
  needed: 1,
  createdAt: 1,
  expiresAt: 2,
}
const approval = { id: id('e'), nonce: 'AAAAAAAAAAAAAAAAAAAAAA', content: JSON.stringify(content) }

it('a device signs the content of an approval with a type of its own, and neither PIN nor number with it', async () => {
  const { device, account, calls, close } = await deviceAt(
    {},
    { status: 200, body: { id: id('e'), state: 'approved' } },
  )

  await device.answerApproval(account, approval, { decision: 'approve', number: '47', pin: '4071' })
  close()

  const { proof, number, pin } = calls[0]!.signed as Record<string, string>
  expect([number, pin]).toEqual(['47', '4071'])
  expect(decodeProtectedHeader(proof!)).toEqual({ alg: 'ES256', typ: 'approval+jws' })
  expect(Object.keys(decodeJwt(proof!)).sort()).toEqual(
    ['approval', 'aud', 'content', 'decision', 'iat', 'nonce', 'sub'].sort(),
  )
  expect(decodeJwt(proof!)['content']).toBe(approval.content)
})

it('a device approves no content that it could not show in full', async () => {
  const { device, account, close } = await deviceAt({}, { status: 500 })
  const wrong = [
    { ...content, more: 'hidden' },
    { ...content, approval: id('f') },
    { ...content, title: 'x'.repeat(121) },
  ]

  for (const each of wrong) {
    const other = { ...approval, content: JSON.stringify(each) }
    expect(readContent(other)).toBeUndefined()
    await expect(device.answerApproval(account, other, { decision: 'approve' })).rejects.toThrow(TypeError)
  }
  close()
})
