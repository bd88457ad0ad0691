import { useState } from 'preact/hooks'

import type { AdminPasskey } from '../../admin-contract/sign-in.ts'
import { isolated } from '../../ground/printable.ts'
import { Button } from '../../ui/button.tsx'
import { deviceName } from '../../ui/device-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { key } from '../../ui/icons.ts'
import { Problem } from '../../ui/messages.tsx'
import { createPasskey } from '../client/passkey.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Facts } from '../parts/facts.tsx'
import { LastUse } from '../parts/last-use.tsx'
import { LanguageChoice, type LanguageChoiceProps } from '../parts/language-choice.tsx'
import { Page } from '../parts/page.tsx'
import { WhenLoaded } from '../parts/states.tsx'
import { useClockTime } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { useSignedIn } from '../session/session.tsx'
import { useAttempt } from '../hooks/use-attempt.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useWords } from '../words/speech.tsx'
import { useDomainNames } from '../parts/domain-names.ts'

export interface AccountScreenProps extends LanguageChoiceProps {
  readonly onSignedOut: () => void
}

/** The administrator who is signed in: passkeys, language, sign-out. */
export function AccountScreen({ onSignedOut, onLanguage }: AccountScreenProps) {
  const words = useWords()
  const { client, session } = useSignedIn()
  const namesOf = useDomainNames()
  const timeOf = useClockTime()
  const passkeys = useLoad('passkeys', () => client.call('GET /admin/passkeys', {}))
  const { busy, problem, run } = useAttempt()
  const { name, email, role, domains } = session.administrator

  async function signOut() {
    await client.call('DELETE /admin/session', {})
    onSignedOut()
  }
  return (
    <Page title={words.yourAccount}>
      <section class="card">
        <Facts
          facts={[
            { label: words.name, value: <bdi>{name}</bdi> },
            { label: words.email, value: <bdi>{email}</bdi> },
            { label: words.role, value: words.roles[role], note: words.roleSentences[role] },
            { label: words.domains, value: <bdi>{namesOf(domains)}</bdi> },
            { label: words.thisSession, value: words.sessionEnds(timeOf(session.endsAt)) },
          ]}
        />
        <Problem text={problem} />
        <div class="buttons">
          <Button
            class="outlined"
            aria-disabled={busy}
            onClick={() => busy || void run(signOut)}
            label={words.signOut}
          />
        </div>
      </section>
      <WhenLoaded loaded={passkeys}>{(list) => <Passkeys passkeys={list} reload={passkeys.reload} />}</WhenLoaded>
      <section class="card">
        <LanguageChoice onLanguage={onLanguage} />
      </section>
    </Page>
  )
}

interface PasskeysProps {
  readonly passkeys: readonly AdminPasskey[]
  readonly reload: () => Promise<void>
}

function Passkeys({ passkeys, reload }: PasskeysProps) {
  const words = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const { busy, problem, run } = useAttempt()
  const [passkeyToDelete, setAsked] = useState<AdminPasskey>()
  const only = passkeys.length === 1

  async function add() {
    const response = await createPasskey(await client.call('POST /admin/passkeys/options', {}))
    const name = deviceName(navigator.userAgent)
    const added = await client.call('POST /admin/passkeys', { body: { response, name } })
    say(words.passkeyAdded(isolated(added.name)))
    await reload()
  }
  async function remove({ id, name }: AdminPasskey) {
    await client.call('DELETE /admin/passkeys/:passkeyId', { params: { passkeyId: id } })
    say(words.passkeyRemoved(isolated(name)))
    await reload()
  }
  return (
    <section class="card">
      <h2>{words.passkeys}</h2>
      <p class="sentence">{only ? `${words.passkeysSentence} ${words.onePasskeyLeft}` : null}</p>
      <ul class="list">
        {passkeys.map((passkey) => (
          <li key={passkey.id} class="row">
            <Icon path={key} />
            <div class="row-text">
              <strong>
                <bdi>{passkey.name}</bdi>
              </strong>
              <small>
                {passkey.synced ? words.synced : words.onOneDevice} · <LastUse at={passkey.lastUsedAt} />
              </small>
            </div>
            {only ? null : (
              <button
                type="button"
                class="outlined"
                aria-label={words.removePasskeyOf(isolated(passkey.name))}
                onClick={() => setAsked(passkey)}
              >
                {words.removePasskey}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem text={problem} />
      <div class="buttons">
        <Button class="outlined" aria-disabled={busy} onClick={() => busy || void run(add)} label={words.addPasskey} />
      </div>
      {passkeyToDelete ? (
        <Confirm
          title={words.removePasskeyTitle(isolated(passkeyToDelete.name))}
          action={words.removePasskey}
          onConfirm={() => remove(passkeyToDelete)}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.removePasskeySentence}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
