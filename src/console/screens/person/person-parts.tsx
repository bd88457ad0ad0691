import type { PersonPlace } from '../../../admin-contract/people.ts'
import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { lock } from '../../../ui/icons.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Time } from '../../parts/time.tsx'
import { useWords } from '../../words/speech.tsx'
import { CallerCard } from './caller-card.tsx'
import { CallActions } from './call-actions.tsx'
import { useDomainNames } from '../../parts/domain-names.ts'
import { LastSignIn, PersonBadges, useLockedUntil } from '../../parts/person-badges.tsx'
import { Codes, Devices, Hardware, Passkeys } from './person-factors.tsx'
import { Timeline } from './timeline.tsx'
import type { PersonPartsProps } from './person-parts-props.ts'

/** The actions for a person who calls and the facts about them, beside each other where there is room. */
export function PersonParts(props: PersonPartsProps) {
  const words = useWords()
  const { person, changeable } = props
  return (
    <>
      <section class="call" aria-label={words.personActions}>
        <CallerCard {...props} />
        <Lock {...props} />
        {changeable && person.elsewhere ? <p class="sentence">{words.elsewhere}</p> : null}
        {changeable ? <CallActions {...props} /> : null}
      </section>
      <div class="columns">
        <div>
          <Devices {...props} />
          <Hardware {...props} />
          <Passkeys {...props} />
          <Codes {...props} />
          <About {...props} />
        </div>
        {/* Last in its column: it is read later than the rest, and nothing moves when it comes. */}
        <Timeline {...props} />
      </div>
    </>
  )
}

function Lock({ person, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  const lockedUntil = useLockedUntil()
  if (!person.locked) return null
  return (
    <div class="notice-bar">
      <Icon path={lock} />
      <p>{lockedUntil(person.locked.until)}</p>
      {changeable && !person.elsewhere ? (
        <Button class="filled" onClick={() => onAsk(actions.unlock())} label={words.actions.unlock.button} />
      ) : null}
    </div>
  )
}

function About({ person, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  const namesOf = useDomainNames()
  const { username, email, emailChangedAt, domains, createdAt } = person
  const changed =
    emailChangedAt === undefined ? null : (
      <small>
        {words.emailChanged} <Time at={emailChangedAt} />
      </small>
    )
  const mail = email === '' ? words.noEmail : <bdi>{printable(email)}</bdi>
  const places: Readonly<Record<PersonPlace, Fact>> = {
    email: {
      label: words.email,
      value: (
        <>
          {mail}
          {changed}
        </>
      ),
    },
  }
  return (
    <section class="card">
      <h2>{words.about}</h2>
      <Facts
        facts={[
          { label: words.status, value: <Status person={person} /> },
          { label: words.username, value: <bdi>{printable(username)}</bdi> },
          ...Object.values(places),
          { label: words.domains, value: <bdi>{namesOf(domains)}</bdi> },
          { label: words.bulk.lastSignIn, value: <LastSignIn person={person} /> },
          { label: words.created, value: <Time at={createdAt} /> },
        ]}
      />
      {changeable && !person.elsewhere ? (
        <div class="buttons">
          <Button class="outlined" onClick={() => onAsk(actions.changeEmail())} label={words.mail.email.button} />
        </div>
      ) : null}
    </section>
  )
}

function Status({ person }: Pick<PersonPartsProps, 'person'>) {
  const words = useWords()
  const { factors } = person
  if (factors.length === 0) return <PersonBadges person={person} />
  return <>{factors.map((factor) => words.factors[factor]).join(words.comma)}</>
}
