import type { AdminSession } from '../../../admin-contract/sign-in.ts'
import { Button } from '../../../ui/button.tsx'
import { key } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/messages.tsx'
import type { Client } from '../../client/client.ts'
import { passkeysSupported, usePasskey } from '../../client/passkey.ts'
import type { LanguageChoiceProps } from '../../parts/language-choice.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { Entrance } from './entrance.tsx'

export interface SignInScreenProps extends LanguageChoiceProps {
  readonly client: Client
  /** Whether a session has just ended. */
  readonly ended: boolean
  readonly onSignedIn: (session: AdminSession) => void
}

export function SignInScreen({ client, ended, onSignedIn, onLanguage }: SignInScreenProps) {
  const words = useWords()
  const { busy, problem, run } = useAttempt()
  const supported = passkeysSupported()

  async function signIn() {
    const response = await usePasskey(await client.call('POST /admin/sign-in/options', {}))
    onSignedIn(await client.call('POST /admin/sign-in', { body: { response } }))
  }
  return (
    <Entrance title={words.signInTitle} onLanguage={onLanguage}>
      <p class="sentence">{ended ? words.signedOut : words.signInSentence}</p>
      <Button
        class="filled wide with-icon"
        icon={key}
        aria-disabled={busy || !supported}
        onClick={() => busy || !supported || void run(signIn)}
        label={words.signIn}
      />
      <Problem text={supported ? problem : words.passkeysUnsupported} />
      <p class="sentence part">{words.signInHelp}</p>
    </Entrance>
  )
}
