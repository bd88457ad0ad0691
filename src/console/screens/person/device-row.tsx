import { printable } from '../../../ground/printable.ts'
import { phone } from '../../../ui/icons.ts'
import { LastUse } from '../../parts/last-use.tsx'
import { useDateTime } from '../../parts/time.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useWords } from '../../words/speech.tsx'
import { FactorRow, RowButton } from './factor-row.tsx'
import type { PersonAction } from './action.ts'
import type { PersonPartsProps } from './person-parts-props.ts'

interface DeviceRowProps extends PersonPartsProps {
  /** The domain's id and name. */
  readonly domain: string
  readonly name: string
}

/** The device of a domain, or how the person gets one. */
export function DeviceRow(props: DeviceRowProps) {
  const { person, changeable, onAsk, domain, name } = props
  const device = person.tokens.find((token) => token.domain === domain)?.device
  return (
    <FactorRow
      icon={phone}
      title={name}
      buttons={
        changeable ? (
          <div class="row-buttons">
            {actionsFor(props, device !== undefined).map((action) => (
              <RowButton key={action.operation} action={action} about={name} onAsk={onAsk} />
            ))}
          </div>
        ) : null
      }
    >
      {device ? (
        <>
          <bdi>{printable(device.name)}</bdi>
          {' · '}
          <LastUse at={device.lastUsedAt} place={device.lastUsedPlace} />
        </>
      ) : (
        <NoDevice person={person} domain={domain} />
      )}
    </FactorRow>
  )
}

/** The actions for a domain. Without the address of the authenticator there is only the code of a link. */
function actionsFor({ person, actions, domain }: DeviceRowProps, hasDevice: boolean): readonly PersonAction[] {
  const { links, email } = person
  if (hasDevice) return [...(links === 'none' ? [] : [actions.replaceDevice(domain)]), actions.revokeToken(domain)]
  if (links === 'none') return [actions.issueToken(domain)]
  return [...(links === 'mailed' && email !== '' ? [actions.sendMail([domain])] : []), actions.showLink(domain)]
}

/** The mail or code for a first device. */
function NoDevice({ person, domain }: Pick<DeviceRowProps, 'person' | 'domain'>) {
  const words = useWords()
  const dateTime = useDateTime()
  const mail = person.enrollmentMails.find((each) => each.domain === domain)
  const now = useNow(false)
  const token = person.tokens.find((each) => each.domain === domain)
  if (mail) {
    const sentAt = dateTime(mail.sentAt)
    return mail.expiresAt > now ? words.mail.sent(sentAt, dateTime(mail.expiresAt)) : words.mail.ended(sentAt)
  }
  if (!token) return words.noDevice
  return token.expiresAt === undefined ? words.codeIssued : words.codeIssuedUntil(dateTime(token.expiresAt))
}
