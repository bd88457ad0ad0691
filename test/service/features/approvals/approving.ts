import type { Approval } from '../../../../src/contract/approvals.ts'
import { proofTypes } from '../../../../src/contract/approval-proof.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import type { DeviceApproval } from '../../../../src/contract/device-answers.ts'
import { random128 } from '../../../support/device-signer.ts'
import { read } from '../../start-service.ts'
import type { Answer, Running } from '../../start-service.ts'
import { personWithDevice } from '../callers/phone-caller.ts'

/** A person with a device that approves actions. */
export type Approver = Awaited<ReturnType<typeof approver>>

/** What a device sends: everything may differ from what an honest one would send. */
export interface Different {
  readonly number?: string | undefined
  readonly pin?: string
  /** Claims of the proof. */
  readonly claims?: object
  /** The header of the proof. */
  readonly header?: { readonly alg: string; readonly typ: string }
}

/** @param activation What is in the device's activation beside the usual, such as a PIN. */
export async function approver(running: Running, domainId = running.domain.id, activation: object = {}) {
  const person = await personWithDevice(running, domainId, activation)
  const { signer, device } = person
  const waiting = async (): Promise<DeviceApproval[]> => (await read(await device.inbox())).json.approvals ?? []
  const proofOf = ({ id, nonce, content }: DeviceApproval, decision: string, different: Different = {}) =>
    signer.sign(
      // The honest claims are exactly these: those of a call are taken out again.
      {
        ...({ jti: undefined } as object),
        approval: id,
        content,
        decision,
        nonce,
        htm: undefined as never,
        path: undefined as never,
        ...different.claims,
      },
      signer.privateKey,
      different.header ?? { alg: 'ES256', typ: proofTypes.answer },
    )
  const send = async (id: string, content: object): Promise<Answer> =>
    read(await device.call(devicePaths.answerApproval(id), content))
  const answer = async (approval: DeviceApproval, decision: string, different: Different = {}) => {
    const { number, pin } = different
    const proof = await proofOf(approval, decision, different)
    return send(approval.id, { proof, number, ...(pin !== undefined && { pin, attempt: random128() }) })
  }
  /** Answers the approval with this id. */
  const decide = async (id: string, decision: string, different: Different = {}) => {
    const approval = (await waiting()).find((one) => one.id === id)
    if (!approval) throw new Error(`The device of ${person.id} does not show the approval ${id}.`)
    return answer(approval, decision, different)
  }
  return { ...person, waiting, proofOf, send, answer, decide }
}

export const transfer = {
  title: 'Transfer €250.00',
  details: [
    { label: 'To', value: 'DE89 3704 0044 0532 0130 00' },
    { label: 'Amount', value: '€250.00' },
  ],
}

/** The operations of an app. */
export function approvalsOf({ call, domain }: Pick<Running, 'call' | 'domain'>, domainId = domain.id) {
  const path = `/domains/${domainId}/approvals`
  return {
    path,
    ask: (body: object, headers?: Record<string, string>) =>
      call('POST', path, { body: { ...transfer, ...body }, ...(headers && { headers }) }),
    get: async (id: string): Promise<Approval> => (await call('GET', `${path}/${id}`)).json,
    cancel: (id: string) => call('DELETE', `${path}/${id}`),
    redeem: (id: string, challenge: string) => call('POST', `${path}/${id}/redeem`, { body: { challenge } }),
  }
}
