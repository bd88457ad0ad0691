import { serviceUrl } from '../contract/activation-link.ts'
import { type ClaimMoveRequest, type CollectMoveRequest, devicePaths, type MoveRequest } from '../contract/device.ts'
import {
  Move,
  type MoveClaim,
  MoveClaimed,
  MoveCollected,
  MoveState,
  type Preview,
} from '../contract/device-answers.ts'
import type { Account } from './account.ts'
import { accountOf, preview } from './activate.ts'
import { DeviceError } from './device-error.ts'
import { createKeyPair, exportPublicKey } from './keys.ts'
import type { DeviceContext } from './options.ts'
import { parseContent } from './send.ts'
import { type Signer, signedCall } from './signed-call.ts'

/** An account that a new device has claimed, and gets once the old device has confirmed. */
export interface ClaimedAccount extends Signer {
  readonly id: string
  readonly preview: Preview
  /** How long the old device can confirm, Unix time of the service, seconds. */
  readonly expiresAt: number
}

/** Begins a move, which replaces one that has begun before. Called on the old device. */
export async function beginMove(context: DeviceContext, account: Account, request: MoveRequest = {}): Promise<Move> {
  const call = { method: 'POST', path: devicePaths.move, content: request } as const
  return parseContent(await signedCall(context, account, call), Move)
}

/** Reads the claim of the new device, if there is one. Called on the old device. */
export async function moveClaim(context: DeviceContext, account: Account): Promise<MoveClaim | undefined> {
  const response = await signedCall(context, account, { method: 'GET', path: devicePaths.move })
  return (await parseContent(response, MoveState)).claim
}

/** Moves the account to the device of the claim. Called on the old device, which is then no longer accepted. */
export async function confirmMove(
  context: DeviceContext,
  account: Account,
  { device }: Pick<MoveClaim, 'device'>,
): Promise<void> {
  try {
    await signedCall(context, account, { method: 'POST', path: devicePaths.confirmMove, content: { device } })
  } catch (error) {
    // The response to an earlier call was lost.
    if (!(error instanceof DeviceError) || error.code !== 'api.error.device.moved') throw error
  }
}

export async function cancelMove(context: DeviceContext, account: Account): Promise<void> {
  await signedCall(context, account, { method: 'POST', path: devicePaths.cancelMove })
}

/** Uses the code of a move up. Called on the new device. */
export async function claimMove(
  context: DeviceContext,
  address: string | URL,
  code: string,
  name: string,
): Promise<ClaimedAccount> {
  const account = await preview(context, address, code)
  const { privateKey, publicKey } = await createKeyPair(context.extractableKeys)
  const signer = { serviceUrl: serviceUrl(address), service: account.service, privateKey, clockOffset: 0 }
  const content: ClaimMoveRequest = { code, name, key: await exportPublicKey(publicKey) }
  const response = await signedCall(context, signer, { method: 'POST', path: devicePaths.claimMove, content })
  const { device, expiresAt } = await parseContent(response, MoveClaimed)
  return { ...signer, id: device, preview: account, expiresAt }
}

/** Asks for the account. Called on the new device. @returns undefined until the old device has confirmed. */
export const collectMove = (
  context: DeviceContext,
  claimed: ClaimedAccount,
  { pin }: { readonly pin?: string | undefined } = {},
): Promise<Account | undefined> => collect(context, claimed, { pin })

async function collect(
  context: DeviceContext,
  claimed: ClaimedAccount,
  content: CollectMoveRequest,
): Promise<Account | undefined> {
  const { pin } = content
  const response = await signedCall(context, claimed, { method: 'POST', path: devicePaths.collectMove, content })
  const { account } = await parseContent(response, MoveCollected)
  return account && accountOf(context, claimed, account, pin)
}

/** Gives the move up. Called on the new device. @returns the account if the old device has confirmed before: no other device has it. */
export const abandonMove = (
  context: DeviceContext,
  claimed: ClaimedAccount,
  { pin }: { readonly pin?: string | undefined } = {},
): Promise<Account | undefined> => collect(context, claimed, { cancel: true, pin })
