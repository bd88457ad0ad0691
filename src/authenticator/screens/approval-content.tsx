import type { ComponentChildren, RefObject } from 'preact'

import type { ApprovalContent } from '../../contract/approval-content.ts'
import { useSpeech } from '../words/speech.tsx'
import { Sentence, ShownText } from './shown-text.tsx'

interface ApprovalFactsProps {
  readonly content: ApprovalContent
  /** Follows the last fact. */
  readonly end: RefObject<HTMLSpanElement | null>
}

/** All that is signed: nothing is shortened, and nothing of it is left out. */
export function ApprovalFacts({ content, end }: ApprovalFactsProps) {
  const { words, locale } = useSpeech()
  const { title, details, requester, app, needed, expiresAt } = content
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <div class="facts-box" id="facts">
      <p class="action">
        <ShownText text={title} />
      </p>
      <dl class="facts">
        {details.map(({ label, value }, index) => (
          <Fact key={index} label={<ShownText text={label} />}>
            <ShownText text={value} />
          </Fact>
        ))}
      </dl>
      <dl class="facts origin">
        <Fact label={words.approvalFrom}>
          <RequesterName requester={requester} app={app.name} />
        </Fact>
        <Fact label={words.approvalApp}>
          <ShownText text={app.name} />
        </Fact>
        {needed > 1 ? <Fact label={words.approvalNeeded}>{words.approvalPeople(needed)}</Fact> : null}
        <Fact label={words.approvalExpires}>{time.format(expiresAt * 1000)}</Fact>
      </dl>
      <span ref={end} />
    </div>
  )
}

function Fact({ label, children }: { readonly label: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface RequesterNameProps {
  readonly requester: ApprovalContent['requester']
  readonly app: string
}

/** Only the person themselves and users of the app are known to the service. */
export function RequesterName({ requester: { kind, name }, app }: RequesterNameProps) {
  const { words } = useSpeech()
  if (kind === 'self') return <Sentence of={words.approvalSelf} text={app} />
  return kind === 'user' ? <ShownText text={name} /> : <Sentence of={words.approvalUnconfirmed} text={name} />
}
