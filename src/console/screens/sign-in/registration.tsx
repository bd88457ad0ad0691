import { useState } from 'preact/hooks'

import type { AdminSession } from '../../../admin-contract/sign-in.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { deviceName } from '../../../ui/device-name.ts'
import { key } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/messages.tsx'
import type { Client } from '../../client/client.ts'
import { createPasskey, passkeysSupported } from '../../client/passkey.ts'
import type { LanguageChoiceProps } from '../../parts/language-choice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Failed } from '../../parts/states.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useWords } from '../../words/speech.tsx'
import { Entrance } from './entrance.tsx'

interface RegistrationScreenProps extends LanguageChoiceProps {
  readonly client: Client
  /** The token of the invitation. */
  readonly token: string
  readonly onRegistered: (session: AdminSession) => void
}

/** Accepts an invitation with a new passkey. The invitation is used up only when the passkey is stored. */
export function RegistrationScreen({ client, token, onRegistered, onLanguage }: RegistrationScreenProps) {
  const words = useWords()
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const { busy, problem, run } = useAttempt()
  const start = () => client.call('POST /admin/registration/options', { body: { token } })
  const invitation = useLoad('invitation', start)
  const supported = passkeysSupported()

  if (!invitation.value) {
    const { loading, problem: failure, reload } = invitation
    const title = failure === words.invitationOver ? words.invitationOverTitle : words.checkingInvitation
    return (
      <Entrance key={title} title={title} onLanguage={onLanguage}>
        {failure === words.invitationOver ? <p class="sentence">{failure}</p> : null}
        {failure === undefined || failure === words.invitationOver ? null : (
          <Failed problem={failure} busy={loading} onRetry={() => void reload()} />
        )}
      </Entrance>
    )
  }

  const { name: person, email, role, organization } = invitation.value.invitation
  async function register() {
    // The options of the start may be too old by now.
    const { options } = await start()
    const response = await createPasskey(options)
    onRegistered(await client.call('POST /admin/registration', { body: { token, response, name } }))
  }
  return (
    <Entrance key="invitation" title={words.welcome(isolated(person))} onLanguage={onLanguage}>
      <p class="sentence">{words.invitedBy(isolated(organization))}</p>
      <Facts
        facts={[
          { label: words.role, value: words.roles[role], note: words.roleSentences[role] },
          { label: words.email, value: <bdi>{email}</bdi> },
        ]}
      />
      <p class="sentence">{words.registrationSentence}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && supported) void run(register)
        }}
      >
        <label class="field">
          <span>{words.passkeyName}</span>
          <input
            name="name"
            value={name}
            maxLength={64}
            required
            autocomplete="off"
            aria-describedby="passkey-name-hint"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <small id="passkey-name-hint">{words.passkeyNameHint}</small>
        <Button
          type="submit"
          class="filled wide with-icon"
          icon={key}
          aria-disabled={busy || !supported}
          label={words.createPasskey}
        />
      </form>
      <Problem text={supported ? problem : words.passkeysUnsupported} />
    </Entrance>
  )
}
