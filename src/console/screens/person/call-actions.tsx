import { useId } from 'preact/hooks'

import type { Person } from '../../../admin-contract/people.ts'
import { Button } from '../../../ui/button.tsx'
import type { Words } from '../../texts/en.ts'
import { useWords } from '../../words/speech.tsx'
import type { PersonPartsProps } from './person-parts-props.ts'

/** The actions for someone who calls, in one place. Actions that take something away stand apart. */
export function CallActions({ person, actions, onAsk }: PersonPartsProps) {
  const words = useWords()
  const id = useId()
  const { elsewhere, links } = person
  const apps = appsToMail(person)
  const obstacle = mailObstacle(person, apps, words)
  return (
    <div class="call-actions">
      <div role="group" aria-labelledby={`${id}-gives`}>
        <small id={`${id}-gives`}>{words.gives}</small>
        <div class="buttons">
          {elsewhere ? null : (
            <Button
              class="outlined"
              onClick={() => onAsk(actions.createCode())}
              label={words.actions.createCode.button}
            />
          )}
          {links === 'mailed' ? (
            <Button
              class="outlined"
              aria-disabled={obstacle !== undefined}
              aria-describedby={`${id}-obstacle`}
              onClick={() => obstacle === undefined && onAsk(actions.sendMail(apps))}
              label={words.mail.send.button}
            />
          ) : null}
        </div>
        {obstacle === undefined ? null : <small id={`${id}-obstacle`}>{obstacle}</small>}
      </div>
      {elsewhere ? null : (
        <div role="group" aria-labelledby={`${id}-takes`}>
          <small id={`${id}-takes`}>{words.takes}</small>
          <div class="buttons">
            <Button
              class="outlined danger"
              onClick={() => onAsk(actions.endSessions())}
              label={words.actions.endSessions.button}
            />
            <Button class="outlined danger" onClick={() => onAsk(actions.reset())} label={words.actions.reset.button} />
          </div>
        </div>
      )}
    </div>
  )
}

/** A mailbox must not be enough to replace a device. */
const appsToMail = ({ domains, tokens }: Person): readonly string[] =>
  domains.filter((id) => !tokens.some(({ domain, device }) => domain === id && device))

/** Why no enrollment mail can be sent, if so. */
function mailObstacle({ email, links }: Person, apps: readonly string[], { mail }: Words): string | undefined {
  if (links !== 'mailed') return undefined
  if (email === '') return mail.noAddress
  return apps.length === 0 ? mail.deviceFirst : undefined
}
