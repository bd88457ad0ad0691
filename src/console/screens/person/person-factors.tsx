import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { key, screen } from '../../../ui/icons.ts'
import { LastUse } from '../../parts/last-use.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { DeviceRow } from './device-row.tsx'
import { FactorRow, RowButton } from './factor-row.tsx'
import type { PersonPartsProps } from './person-parts-props.ts'

/** The device of each domain, or that there is none. */
export function Devices(props: PersonPartsProps) {
  const words = useWords()
  const { session } = useSignedIn()
  const nameOf = (id: string) => session.domains.find((domain) => domain.id === id)?.name ?? id
  return (
    <section class="card">
      <h2>{words.devices}</h2>
      <ul class="list">
        {props.person.domains.map((domain) => (
          <DeviceRow key={domain} {...props} domain={domain} name={nameOf(domain)} />
        ))}
      </ul>
    </section>
  )
}

export function Hardware({ person: { hardware, elsewhere }, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  const allowed = changeable && !elsewhere
  return (
    <section class="card">
      <h2>{words.hardware}</h2>
      {hardware ? (
        <ul class="list">
          <FactorRow
            icon={screen}
            title={hardware.selfEnrolled ? hardware.alias : hardware.serialNumber}
            buttons={
              allowed ? (
                <div class="row-buttons">
                  {hardware.selfEnrolled ? null : (
                    <RowButton action={actions.resynchronizeHardware()} about={hardware.alias} onAsk={onAsk} />
                  )}
                  <RowButton action={actions.releaseHardware()} about={hardware.alias} onAsk={onAsk} />
                </div>
              ) : null
            }
          >
            {hardware.selfEnrolled ? words.authenticatorApp : <bdi>{printable(hardware.alias)}</bdi>}
            {' · '}
            <LastUse at={hardware.lastUsedAt} />
          </FactorRow>
        </ul>
      ) : (
        <>
          <p class="sentence">{words.none}</p>
          {allowed ? (
            <div class="buttons">
              <Button
                class="outlined"
                onClick={() => onAsk(actions.assignHardware())}
                label={words.actions.assignHardware.button}
              />
            </div>
          ) : null}
        </>
      )}
    </section>
  )
}

export function Passkeys({ person: { passkeys, elsewhere }, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  if (passkeys.length === 0) return null
  return (
    <section class="card">
      <h2>{words.passkeys}</h2>
      <ul class="list">
        {passkeys.map((passkey) => (
          <FactorRow
            key={passkey.id}
            icon={key}
            title={passkey.name}
            buttons={
              changeable && !elsewhere ? (
                <RowButton action={actions.deletePasskey(passkey.id)} about={passkey.name} onAsk={onAsk} />
              ) : null
            }
          >
            <bdi>{passkey.rpId}</bdi>
            {' · '}
            <LastUse at={passkey.lastUsedAt} />
          </FactorRow>
        ))}
      </ul>
    </section>
  )
}

/** Bypass codes, which the person calls recovery codes. */
export function Codes({ person: { codes, elsewhere }, actions, changeable, onAsk }: PersonPartsProps) {
  const words = useWords()
  const remaining = codes.filter(({ usesRemaining }) => usesRemaining > 0).length
  return (
    <section class="card">
      <h2>{words.bypassCodes}</h2>
      <p class="sentence">{remaining === 0 ? words.none : words.codesLeft(remaining)}</p>
      {changeable && !elsewhere && codes.length > 0 ? (
        <div class="buttons">
          <Button
            class="outlined danger"
            onClick={() => onAsk(actions.deleteCodes())}
            label={words.actions.deleteCodes.button}
          />
        </div>
      ) : null}
    </section>
  )
}
