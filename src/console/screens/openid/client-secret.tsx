import { useRef, useState } from 'preact/hooks'

import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { hasCode } from '../../client/errors.ts'
import { ToldError } from '../../hooks/told-error.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useDateTime } from '../../parts/time.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useSpeech } from '../../words/speech.tsx'
import type { ShownSecret } from './secret-dialog.tsx'
import { useOpenIdWords } from './words.ts'

interface ClientSecretProps {
  readonly client: OidcClient
  readonly changeable: boolean
  readonly reload: () => Promise<void>
  readonly onSecret: (secret: ShownSecret) => void
}

/** Whether a client has a secret, and a new one for it. */
export function ClientSecret({ client, changeable, reload, onSecret }: ClientSecretProps) {
  const texts = useOpenIdWords().secret
  const dateTime = useDateTime()
  const [isAsking, setAsking] = useState(false)
  const { secret, formerSecretUntil } = client
  return (
    <section class="card" aria-labelledby="client-secret">
      <h2 id="client-secret">{texts.title}</h2>
      {secret ? <p class="sentence">{texts.present}</p> : <p class="problem still">{texts.missing}</p>}
      {formerSecretUntil === null ? null : <p class="sentence">{texts.former(dateTime(formerSecretUntil))}</p>}
      {changeable ? (
        <div class="buttons">
          <Button class="outlined" onClick={() => setAsking(true)} label={secret ? texts.replace : texts.create} />
        </div>
      ) : null}
      {isAsking ? (
        <ReplaceSecret client={client} reload={reload} onSecret={onSecret} onClose={() => setAsking(false)} />
      ) : null}
    </section>
  )
}

/** How long an old secret can be kept, hours. The service accepts up to a week. */
const overlaps = [1, 24, 72, 168]

type ReplaceSecretProps = Omit<ClientSecretProps, 'changeable'> & { readonly onClose: () => void }

function ReplaceSecret({ client: stored, reload, onSecret, onClose }: ReplaceSecretProps) {
  const { id, domain, name, secret, formerSecretUntil, version } = stored
  const texts = useOpenIdWords().secret
  const dateTime = useDateTime()
  const { locale } = useSpeech()
  const { client } = useSignedIn()
  // A client that is in use keeps working until its configuration is changed.
  const [overlap, setOverlap] = useState(24)
  const hours = new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'long' })

  /** Set once there is a new one. */
  const made = useRef<string>(undefined)

  async function replace() {
    const input = { params: { domainId: domain, oidcClientId: id }, body: { overlap: secret ? overlap : 0 } }
    try {
      const route = 'POST /admin/domains/:domainId/oidc-clients/:oidcClientId/secret'
      made.current = (await client.call(route, input, { version })).clientSecret
    } catch (error) {
      if (!hasCode(error, 'api.error.precondition')) throw error
      // Somebody else may have made a secret, which this one would end.
      await reload()
      throw new ToldError(texts.meanwhile, error)
    }
  }
  const isFormerAccepted = formerSecretUntil !== null && formerSecretUntil > Date.now() / 1000
  return (
    <Confirm
      title={secret ? texts.replaceTitle(isolated(name)) : texts.createTitle(isolated(name))}
      action={secret ? texts.replace : texts.create}
      harmless={!secret}
      onConfirm={replace}
      onClose={() => {
        onClose()
        if (made.current === undefined) return
        onSecret({ name, secret: made.current })
        void reload()
      }}
    >
      {secret ? (
        <div class="field">
          <label>
            <span>{texts.keep}</span>
            <select
              value={overlap}
              aria-describedby="overlap-hint"
              onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
            >
              {overlaps.map((each) => (
                <option key={each} value={each}>
                  {hours.format(each)}
                </option>
              ))}
              <option value={0}>{texts.atOnce}</option>
            </select>
          </label>
          <small id="overlap-hint">{texts.keepSentence}</small>
        </div>
      ) : (
        <p>{texts.onlyNew}</p>
      )}
      {isFormerAccepted ? <p class="danger">{texts.formerEnds(dateTime(formerSecretUntil))}</p> : null}
    </Confirm>
  )
}
