import { hostname, userInfo } from 'node:os'

import type { Client } from '../../client/client.ts'
import type { ApprovalDetail } from '../../contract/approvals.ts'
import { approvalLimits, NewApproval } from '../../contract/approvals.ts'
import { Id, stripText, truncateText } from '../../contract/text.ts'
import { describeMistakes, validate } from '../../contract/validate.ts'
import { Failure } from '../terminal/failure.ts'

export interface AskSettings {
  readonly user?: string
  readonly approvers?: readonly string[]
  readonly needed?: number
  readonly requestedBy?: string
  readonly from?: string
  readonly title: string
  readonly detail?: readonly ApprovalDetail[]
  readonly expiresIn?: number
}

/** The approval that the options describe. @throws {Failure} where they are wrong. */
export async function newApproval(client: Client, settings: AskSettings): Promise<NewApproval> {
  const { user, approvers, needed, requestedBy, from, title, detail: details, expiresIn } = settings
  checkRequester(settings)
  const approval = {
    ...(user !== undefined && { user: { username: user } }),
    ...(approvers && { approvers: [...approvers] }),
    ...(needed !== undefined && { needed }),
    ...(details && { details: [...details] }),
    ...(expiresIn !== undefined && { expiresIn }),
    title,
  }
  check(approval)
  const requester = requestedBy === undefined ? (from ?? thisMachine()) : await idOf(client, requestedBy)
  check({ ...approval, requestedBy: requester })
  return { ...approval, requestedBy: requester }
}

/** Checks which options go together. */
function checkRequester({ user, approvers, needed, requestedBy, from }: AskSettings): void {
  if ((user === undefined) === (approvers === undefined)) throw usageError('Give either --user or --approvers.')
  if (approvers && requestedBy === undefined) throw usageError('With --approvers, --requested-by is required.')
  if (approvers && from !== undefined) throw usageError('With --approvers, give --requested-by instead of --from.')
  if (requestedBy !== undefined && from !== undefined) throw usageError('Give either --requested-by or --from.')
  if (user !== undefined && needed !== undefined) throw usageError('--needed is only possible with --approvers.')
}

const usageError = (message: string) => new Failure(`${message} See: second-factor ask --help`)

/** Checks what can be checked before the service is asked. The requester of several people is only known afterwards. */
function check(approval: NewApproval): void {
  const validated = validate(NewApproval, { requestedBy: 'later', ...approval })
  if (validated.success) return
  const mistakes = validated.mistakes.map(({ path: [field = '', ...rest], message }) => ({
    path: [flags[String(field)] ?? field, ...rest],
    message,
  }))
  const [first, ...others] = mistakes
  if (first) throw usageError(`${describeMistakes([first, ...others])}.`)
}

const flags: Readonly<Record<string, string>> = {
  user: '--user',
  approvers: '--approvers',
  needed: '--needed',
  title: '--title',
  details: '--detail',
  expiresIn: '--expires-in',
  requestedBy: '--from',
}

/** The service knows requesters by id. */
const idOf = async (client: Client, user: string): Promise<string> =>
  Id.safeParse(user).success ? user : (await client.users.getByUsername(user)).id

/** A script is not the person who approves: without --from, the device names the machine. */
function thisMachine(): string {
  const { username } = userInfo()
  return truncateText(stripText(`${username} on ${hostname()}`), approvalLimits.requester)
}
