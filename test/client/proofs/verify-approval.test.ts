import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import type { ProofFault } from '../../../src/client/index.ts'
import { ProofError, verifyApproval } from '../../../src/client/index.ts'
import type { Approval } from '../../../src/contract/approvals.ts'
import { createProofMaker } from '../../support/made-proofs.ts'

const make = createProofMaker()
const { trust, at } = make
const dora = createHash('sha256').update('dora').digest().subarray(0, 20).toString('hex')
const byUser = { requester: { kind: 'user', name: 'dora', id: dora } }

function faultOf(approval: Approval): ProofFault | undefined {
  try {
    verifyApproval(approval, { trust })
    return undefined
  } catch (error) {
    if (error instanceof ProofError) return error.fault
    throw error
  }
}

/** An approval in which one person has another answer. */
const withApprover = (approval: Approval, index: number, changes: object): Approval => ({
  ...approval,
  approvers: approval.approvers.map((one, place) => (place === index ? { ...one, ...changes } : one)),
})

describe('verifyApproval()', () => {
  it('verifyApproval() returns who approved, and when the last one who was needed did', () => {
    const verified = verifyApproval(make.approval(['anna', 'ben', 'cem'], { needed: 2, ...byUser }), { trust })

    expect(verified.answers.map(({ user, decision }) => [user.username, decision])).toEqual([
      ['anna', 'approve'],
      ['ben', 'approve'],
      ['cem', 'approve'],
    ])
    expect(verified).toMatchObject({ approval: make.ids.approval, content: { needed: 2 }, at: at + 1 })
  })

  it('verifyApproval() accepts people who have not answered', () => {
    const approval = make.approval(['anna', 'ben'], byUser)

    expect(faultOf(withApprover(approval, 1, { proof: undefined, decision: undefined }))).toBeUndefined()
  })

  it('verifyApproval() rejects fewer people than the content requires, whatever the approval says', () => {
    const approval = make.approval(['anna'], { needed: 2, ...byUser })

    expect(faultOf({ ...approval, needed: 1, state: 'approved' })).toBe('approval.count')
  })

  it('verifyApproval() rejects an approval that nobody answered', () => {
    expect(faultOf(make.approval([]))).toBe('approval.count')
  })

  it('verifyApproval() rejects a denial, even where the approval says approved', () => {
    const denied = make.approval(['anna'], {}, { answer: { decision: 'deny' }, receipt: { decision: 'deny' } })

    expect(faultOf(withApprover(denied, 0, { decision: undefined }))).toBe('approval.count')
    expect(faultOf(denied)).toBe('approval.answer')
  })

  it('verifyApproval() rejects a person who stands in it twice', () => {
    const approval = make.approval(['anna'], { needed: 2, ...byUser })

    expect(faultOf({ ...approval, approvers: [...approval.approvers, ...approval.approvers] })).toBe(
      'approval.duplicate',
    )
  })

  it('verifyApproval() rejects an answer to other content', () => {
    const [approval, other] = [make.approval(['anna', 'ben'], byUser), make.approval(['ben'], { title: 'Other' })]

    expect(faultOf(withApprover(approval, 1, other.approvers[0] ?? {}))).toBe('approval.answer')
  })

  it('verifyApproval() rejects an answer under the name of another person', () => {
    const user = { id: '1'.repeat(40), username: 'ben' }

    expect(faultOf(withApprover(make.approval(['anna']), 0, { user }))).toBe('approval.answer')
  })

  it('verifyApproval() rejects the id of another approval', () => {
    expect(faultOf({ ...make.approval(['anna']), id: '2'.repeat(40) })).toBe('approval.answer')
  })

  it('verifyApproval() rejects content that the approval shows and nobody has signed', () => {
    expect(faultOf({ ...make.approval(['anna']), content: make.content({ title: 'Other' }) })).toBe('approval.answer')
  })

  it('verifyApproval() rejects a proof that is not valid', () => {
    const [approval, other] = [make.approval(['anna']), make.approval(['anna'], {}, { receipt: { iat: at + 7 } })]
    const proof = { answer: other.approvers[0]?.proof?.answer, receipt: approval.approvers[0]?.proof?.receipt }

    expect(faultOf(withApprover(approval, 0, { proof }))).toBe('answer.digest')
  })

  it('verifyApproval() rejects the requester as one of those who approved', () => {
    expect(faultOf(make.approval(['anna', 'dora'], { needed: 2, ...byUser }))).toBe('approval.requester')
  })

  it('verifyApproval() knows the requester by the id, and not by a name that others may have, too', () => {
    const sameName = { requester: { kind: 'user', name: 'ben', id: dora } }

    expect(faultOf(make.approval(['anna', 'ben'], { needed: 2, ...sameName }))).toBeUndefined()
    expect(faultOf(make.approval(['anna', 'dora'], { needed: 2, ...sameName }))).toBe('approval.requester')
  })

  it('verifyApproval() rejects an approval that says it was denied, whatever its proofs say', () => {
    expect(faultOf({ ...make.approval(['anna']), state: 'denied', reason: 'approver_removed' })).toBe('approval.state')
  })

  it('verifyApproval() rejects several people for what one person approves themselves', () => {
    expect(faultOf(make.approval(['anna', 'ben'], { needed: 2 }))).toBe('approval.requester')
  })

  it.each([undefined, null, {}, []])('verifyApproval() rejects %j in the place of an approval', (value: unknown) => {
    expect(faultOf(value as Approval)).toBe('approval.malformed')
  })
})
