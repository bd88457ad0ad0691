import { useState } from 'preact/hooks'

import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import type { Client } from '../../client/client.ts'
import { mount } from '../../session/mount.ts'
import { Page } from '../../parts/page.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { useClockTime } from '../../parts/time.tsx'
import { Link, useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useKeptDraft } from '../../hooks/use-kept-draft.ts'
import { useWords } from '../../words/speech.tsx'
import { type Access, AccessFields, accessOf, isComplete } from './access-fields.tsx'

type Created = Awaited<ReturnType<typeof create>>

const create = (client: Client, fields: { name: string; email: string } & Access) =>
  client.call('POST /admin/invitations', { body: { ...fields, ...accessOf(fields) } })

/** Names and role of the new administrator, then the link for it. */
export function InviteScreen() {
  const { client } = useSignedIn()
  const [created, setCreated] = useState<Created>()
  return created ? (
    <InvitationReady key="ready" invitation={created} />
  ) : (
    <InvitationForm key="form" onSubmit={async (fields) => setCreated(await create(client, fields))} />
  )
}

interface Draft extends Access {
  readonly name: string
  readonly email: string
}

interface InvitationFormProps {
  readonly onSubmit: (fields: Parameters<typeof create>[1]) => Promise<void>
}

function InvitationForm({ onSubmit }: InvitationFormProps) {
  const words = useWords()
  const { session } = useSignedIn()
  const { go } = useRouter()
  const { busy, problem, showProblem, run } = useAttempt()
  // The least that most invitations need, and the only domain where there is one.
  const { domains } = session
  const only = domains.length === 1 ? domains.map(({ id }) => id) : []
  const { draft, change, forget } = useKeptDraft<Draft>(`invite ${session.administrator.id}`, {
    name: '',
    email: '',
    role: 'helpdesk',
    domains: only,
  })
  const { name, email, role } = draft
  // A domain may have been removed since it was chosen.
  const access: Access = { role, domains: draft.domains.filter((id) => domains.some((domain) => domain.id === id)) }

  async function invite() {
    await onSubmit({ name, email, ...access })
    forget()
  }
  function submit() {
    if (busy) return
    if (isComplete(access)) void run(invite)
    else showProblem(words.chooseDomains)
  }
  return (
    <Page
      title={words.inviteTitle}
      sentence={words.inviteSentence}
      above={{ to: 'administrators', title: words.administrators }}
    >
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label class="field">
          <span>{words.name}</span>
          <input
            value={name}
            required
            maxLength={128}
            autocomplete="off"
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>{words.email}</span>
          <input
            type="email"
            value={email}
            required
            maxLength={254}
            autocomplete="off"
            onInput={({ currentTarget }) => change({ email: currentTarget.value })}
          />
        </label>
        <AccessFields access={access} onChange={change} />
        <Problem text={problem} />
        <div class="buttons">
          <Button type="submit" class="filled" aria-disabled={busy} label={words.createInvitation} />
          <Button
            class="outlined"
            onClick={() => {
              forget()
              go('administrators')
            }}
            label={words.cancel}
          />
        </div>
      </form>
    </Page>
  )
}

function InvitationReady({ invitation }: { readonly invitation: Created }) {
  const words = useWords()
  const timeOf = useClockTime()
  const { href } = new URL(`invitation#${invitation.token}`, mount)
  return (
    <Page title={words.invitationReady(isolated(invitation.name))} sentence={words.invitationReadySentence}>
      <section class="card form">
        <QrCode text={href} label={words.invitationQr} />
        <label class="field">
          <span>{words.invitationLink}</span>
          <input value={href} readOnly onFocus={({ currentTarget }) => currentTarget.select()} dir="ltr" />
        </label>
        <p class="sentence">{words.validUntil(timeOf(invitation.expiresAt))}</p>
        <div class="buttons">
          <CopyButton text={href} label={words.copyLink} done={words.copied} />
          <Link to="administrators" class="button filled">
            {words.done}
          </Link>
        </div>
      </section>
    </Page>
  )
}
