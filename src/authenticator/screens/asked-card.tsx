import type { ComponentChildren } from 'preact'

import type { DeviceRequest } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import { printable } from '../../ground/printable.ts'
import { nameOfUser } from '../accounts/user-name.ts'
import { Card, Emblem } from '../parts/card.tsx'
import { TimeLeft } from '../parts/time-left.tsx'

interface AskedCardProps {
  readonly class: string
  readonly title: string
  readonly account: Account
  readonly asked: Pick<DeviceRequest, 'user' | 'createdAt' | 'expiresAt'>
  readonly app: DeviceRequest['domain']
  /** The service's time, Unix time, seconds. */
  readonly now: number
  readonly children: ComponentChildren
}

/** A call or an action: a question, whom it asks, and the time left. Nothing of it is cut off, however small the phone is. */
export function AskedCard({ class: kind, title, account, asked, app, now, children }: AskedCardProps) {
  return (
    <Card
      class={`request opened ${kind}`}
      title={title}
      head={(headline) => (
        <div class="head">
          <Emblem domain={app} serviceUrl={account.serviceUrl} />
          {headline}
          <TimeLeft request={asked} now={now} />
          <p class="who" id="who">
            <bdi>{nameOfUser(asked.user)}</bdi>
            <span> · </span>
            <bdi>{printable(app.name)}</bdi>
          </p>
        </div>
      )}
    >
      {children}
    </Card>
  )
}

interface AskedListProps {
  readonly id: string
  readonly title: string
  /** Whether nothing else that waits is above it: then its title is the headline of the screen. */
  readonly first: boolean
  readonly children: ComponentChildren
}

/** The calls or actions that wait, on the home screen. */
export function AskedList({ id, title, first, children }: AskedListProps) {
  const list = <ul class="list">{children}</ul>
  if (first) return <Card title={title}>{list}</Card>
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {list}
    </section>
  )
}
