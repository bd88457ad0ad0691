import { contentOf } from '../../challenge/approval.ts'
import { hasPasskey } from '../../challenge/passkey.ts'
import { findMember } from '../../challenge/user.ts'
import type { Approval } from '../../contract/approvals.ts'
import type { Repeat } from '../pages/approval-page.ts'
import { waitingApprovalPage } from '../pages/approval-page.ts'
import type { Page } from '../request/outcome.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'

interface Waiting {
  readonly approval: Approval
  readonly token: string
  readonly repeat?: Repeat | undefined
  readonly back: string
}

/** The page that waits for an approval. It shows the content as devices show it. */
export async function waitingPage(request: WebRequest, { approval, ...view }: Waiting): Promise<Page> {
  const { id, number, createdAt, expiresAt } = approval
  const service = await request.context.mfa.connect()
  const { title, details } = contentOf(approval)
  const offersPasskey = number === undefined && (await usesPasskey(request))
  const facts = { id, number, createdAt, expiresAt, offersPasskey, service }
  return waitingApprovalPage(request, { ...view, ...facts, action: { title, details } })
}

/** Whether the user has no device, but a passkey for this app. */
async function usesPasskey(request: WebRequest): Promise<boolean> {
  const member = await findMember(await request.context.mfa.connect(), request.user)
  if (!member || member.factors?.includes('push')) return false
  return hasPasskey(member, relyingPartyOf(request)?.id, ['passkey'])
}
