import { useState } from 'preact/hooks'

import type { OidcClientKind } from '../../../admin-contract/oidc-client-settings.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useKeptDraft } from '../../hooks/use-kept-draft.ts'
import { Page } from '../../parts/page.tsx'
import { useToast } from '../../parts/toast.tsx'
import { addOpenIdClientPlace, openIdClientPlace, openIdPlace } from '../../session/places.ts'
import { Link, useLeadOn, useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { ClientFields } from './client-fields.tsx'
import { newDraft, type Problems, problemsOf, settingsOf } from './draft.ts'
import type { Draft } from './fields.ts'
import { openIdName } from './openid-name.ts'
import { useRefusal } from './refusal.ts'
import type { ShownSecret } from './secret-dialog.tsx'
import { useOpenIdWords } from './words.ts'

interface AddClientScreenProps {
  /** As the address has it. */
  readonly kind: string | undefined
  readonly onSecret: (secret: ShownSecret) => void
}

/** Asks for the kind of a new client first, then for what clients of this kind have. */
export function AddClientScreen({ kind, onSecret }: AddClientScreenProps) {
  const { kinds } = useOpenIdWords()
  const known = Object.keys(kinds).find((each) => each === kind) as OidcClientKind | undefined
  return known ? <NewClient kind={known} onSecret={onSecret} /> : <KindChoice />
}

function KindChoice() {
  const texts = useOpenIdWords()
  return (
    <Page title={texts.add} sentence={texts.chooseKind} above={{ to: openIdPlace(), title: openIdName }}>
      <section class="card">
        <ul class="list kind-list">
          {(Object.keys(texts.kinds) as OidcClientKind[]).map((kind) => (
            <li key={kind}>
              <Link to={addOpenIdClientPlace(kind)} class="choice">
                <span>
                  <strong>{texts.kinds[kind]}</strong>
                  <small>{texts.kindSentences[kind]}</small>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  )
}

interface NewClientProps {
  readonly kind: OidcClientKind
  readonly onSecret: (secret: ShownSecret) => void
}

function NewClient({ kind, onSecret }: NewClientProps) {
  const words = useWords()
  const texts = useOpenIdWords()
  const { client, session } = useSignedIn()
  const { go } = useRouter()
  const leadOn = useLeadOn()
  const say = useToast()
  const refusalOf = useRefusal(kind)
  const { busy, problem, showProblem, run } = useAttempt()
  const [problems, setProblems] = useState<Problems>({})
  const [isAppMissing, setAppMissing] = useState(false)
  const name = `openid-add ${session.administrator.id} ${kind}`
  const [only] = session.domains.length === 1 ? session.domains : []
  const { draft, change, forget } = useKeptDraft<Draft & { domain?: string }>(name, newDraft(kind), 'jwks')
  const domainId = session.domains.find(({ id }) => id === draft.domain)?.id ?? only?.id ?? ''

  async function add() {
    const { clientSecret, ...added } = await client
      .call('POST /admin/domains/:domainId/oidc-clients', {
        params: { domainId },
        body: { ...settingsOf(kind, draft), kind },
      })
      .catch((error: unknown) => {
        throw refusalOf(error, draft, setProblems)
      })
    forget()
    say(texts.added(isolated(added.name)))
    leadOn(openIdClientPlace(added), true)
    if (clientSecret !== undefined) onSecret({ name: added.name, secret: clientSecret })
  }
  function submit() {
    if (busy) return
    const wrong = problemsOf(kind, draft, texts.problems)
    setProblems(wrong)
    setAppMissing(domainId === '')
    if (domainId === '' || Object.keys(wrong).length > 0) showProblem(texts.problems.form)
    else void run(add)
  }
  return (
    <Page
      title={texts.kinds[kind]}
      sentence={texts.kindSentences[kind]}
      above={{ to: addOpenIdClientPlace(), title: texts.add }}
    >
      <form
        class="card form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div class="field">
          <label>
            <span>{words.domain}</span>
            <select
              value={domainId}
              aria-describedby="domain-hint domain-problem"
              aria-invalid={isAppMissing}
              onChange={({ currentTarget }) => change({ domain: currentTarget.value })}
            >
              {only ? null : <option value="">{texts.chooseApp}</option>}
              {session.domains.map(({ id, name: app }) => (
                <option key={id} value={id}>
                  {printable(app)}
                </option>
              ))}
            </select>
          </label>
          <small id="domain-hint">{texts.domainSentence}</small>
          <p id="domain-problem" class="danger field-problem">
            {isAppMissing ? texts.problems.required : ''}
          </p>
        </div>
        <ClientFields kind={kind} draft={draft} problems={problems} onChange={change} />
        <Problem text={problem} />
        <div class="buttons">
          <Button type="submit" class="filled" aria-disabled={busy} label={texts.add} />
          <Button
            class="outlined"
            onClick={() => {
              forget()
              go(openIdPlace())
            }}
            label={words.cancel}
          />
        </div>
      </form>
    </Page>
  )
}
