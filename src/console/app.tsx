import { useEffect, useMemo, useState } from 'preact/hooks'

import type { AdminSession } from '../admin-contract/sign-in.ts'
import { createClient } from './client/client.ts'
import { ApiError } from './client/errors.ts'
import { forgetDrafts } from './session/drafts.ts'
import { apiBase } from './session/mount.ts'
import { Failed } from './parts/states.tsx'
import { ShownOnceProvider } from './parts/shown-once.tsx'
import { ToastProvider } from './parts/toast.tsx'
import { useProblem } from './hooks/problem.ts'
import { useRouter } from './session/router.tsx'
import { Entrance } from './screens/sign-in/entrance.tsx'
import { RegistrationScreen } from './screens/sign-in/registration.tsx'
import { SignInScreen } from './screens/sign-in/sign-in.tsx'
import { SignedInProvider } from './session/session.tsx'
import { Shell } from './shell.tsx'
import type { Language } from './words/languages.ts'
import { useWords } from './words/speech.tsx'

export interface AppProps {
  /** The token of the invitation that the page was opened for. */
  readonly invitation: string | undefined
  readonly onLanguage: (language: Language) => void
}

/** Whether an administrator is signed in; `ended` after a session that the person did not end. */
type Stage =
  | { readonly name: 'starting' | 'out' | 'ended' | 'invited' }
  | { readonly name: 'failed'; readonly problem: string }
  | { readonly name: 'in'; readonly session: AdminSession }

export function App({ invitation, onLanguage }: AppProps) {
  const words = useWords()
  const problemOf = useProblem()
  const { go } = useRouter()
  const [stage, setStage] = useState<Stage>({ name: invitation === undefined ? 'starting' : 'invited' })
  const client = useMemo(
    () => createClient(apiBase, () => setStage(({ name }) => ({ name: name === 'in' ? 'ended' : 'out' }))),
    [],
  )

  async function start() {
    try {
      setStage({ name: 'in', session: await client.call('GET /admin/session', {}) })
    } catch (error) {
      // `onSignedOut` has shown the sign-in.
      if (error instanceof ApiError && error.status === 401) return
      setStage({ name: 'failed', problem: problemOf(error) ?? '' })
    }
  }
  useEffect(() => {
    if (stage.name === 'starting') void start()
  }, [stage.name])

  if (stage.name === 'starting') return null
  if (stage.name === 'failed') {
    return (
      <Entrance title={words.cannotStart} onLanguage={onLanguage}>
        <Failed problem={stage.problem} busy={false} onRetry={() => setStage({ name: 'starting' })} />
      </Entrance>
    )
  }
  if (stage.name === 'invited' && invitation !== undefined) {
    const onRegistered = (session: AdminSession) => {
      document.querySelector('.not-loaded')?.removeAttribute('action')
      go('', true)
      setStage({ name: 'in', session })
    }
    return <RegistrationScreen client={client} token={invitation} onRegistered={onRegistered} onLanguage={onLanguage} />
  }
  if (stage.name !== 'in') {
    return (
      <SignInScreen
        client={client}
        ended={stage.name === 'ended'}
        onSignedIn={(session) => setStage({ name: 'in', session })}
        onLanguage={onLanguage}
      />
    )
  }
  const onSignedOut = () => {
    forgetDrafts()
    go('', true)
    setStage({ name: 'out' })
  }
  // The change is stored already. Without an answer, other screens show the old names until the page is reloaded.
  const renew = () =>
    client.call('GET /admin/session', {}).then(
      (session) => setStage({ name: 'in', session }),
      () => {},
    )
  return (
    <SignedInProvider value={{ client, session: stage.session, renew }}>
      <ToastProvider>
        <ShownOnceProvider>
          <Shell onSignedOut={onSignedOut} onLanguage={onLanguage} />
        </ShownOnceProvider>
      </ToastProvider>
    </SignedInProvider>
  )
}
