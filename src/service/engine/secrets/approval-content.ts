import { ApprovalContent } from '../../../contract/approval-content.ts'
import type { Secrets } from './secrets.ts'

/** An approval whose content is sealed. */
interface Sealed {
  readonly id: string
  readonly domainId: string
}

export const sealContent = (secrets: Secrets, text: string, approval: Sealed): string =>
  secrets.seal(text, recordOf(approval))

export const openContent = (secrets: Secrets, approval: Sealed & { readonly content: string }): string =>
  secrets.open(approval.content, recordOf(approval))

export const parseContentText = (text: string): ApprovalContent => ApprovalContent.parse(JSON.parse(text))

const recordOf = ({ id, domainId }: Sealed) => ({ kind: 'approval content', id, userId: domainId }) as const
