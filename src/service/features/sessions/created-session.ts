import type { Session } from '../../../contract/sessions.ts'
import type { Call } from '../../engine/http/route.ts'
import { notifyPending, notifySettled } from '../../engine/waiting/notify.ts'
import { notifyCancelled } from './operations.ts'
import type { redeemWithin } from './redeem.ts'
import type { SessionRow } from './statements.ts'
import { sessionView } from './view.ts'

/** A session that was created, as far as only its caller knows it. */
export interface Started {
  readonly session: SessionRow
  /** The requests that it has replaced. */
  readonly replaced?: readonly SessionRow[]
  /** Set after a wrong code. */
  readonly tryState?: Pick<Session, 'triesLeft' | 'lockedFor'>
  readonly scanSecret?: string | undefined
  readonly deviceName?: string | undefined
}

/** Call it once the change is committed. */
export function notifyCreated(call: Call, { session, replaced = [] }: Started): void {
  notifyCancelled(call, replaced)
  if (session.state !== 'pending') {
    call.observer.settled(session.reason ?? session.state, 1, { factor: session.factor ?? 'push' })
    return notifySettled(call, session)
  }
  notifyPending(call, session)
  call.pusher?.tell(session)
}

type Redeemed = Awaited<ReturnType<typeof redeemWithin>>

/** The answer to its caller. */
export const createdView = ({
  session,
  tryState,
  scanSecret,
  deviceName,
  redeemed,
}: Started & { readonly redeemed: Redeemed }) =>
  redeemed ?? { ...sessionView(session), ...tryState, scanSecret, deviceName }
export type CreatedView = ReturnType<typeof createdView>
