import { useRef, useState } from 'preact/hooks'

import type { ApiKey } from '../../../admin-contract/domains.ts'
import { printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Confirm, Dialog } from '../../parts/confirm.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'

/** A key with its characters, which are shown once. */
export type CreatedKey = ApiKey & { readonly key: string }

interface CreateKeyProps {
  /** The app that is chosen from the start. */
  readonly domainId: string | undefined
  readonly onCreated: (key: CreatedKey) => void
  readonly onClose: () => void
}

export function CreateKey({ domainId = '', onCreated, onClose }: CreateKeyProps) {
  const { apps } = useWords()
  const { client, session } = useSignedIn()
  const [role, setRole] = useState<ApiKey['role']>('auth')
  const [domain, setDomain] = useState(domainId)

  /** Set once the key exists. */
  const created = useRef<CreatedKey>(undefined)

  async function create() {
    // Only keys that sign people in can be limited to an app.
    const limited = role === 'auth' && domain !== '' ? { domain } : {}
    created.current = await client.call('POST /admin/api-keys', { body: { role, ...limited } })
  }
  return (
    <Confirm
      title={apps.createKey}
      action={apps.createKey}
      harmless
      onConfirm={create}
      onClose={() => {
        onClose()
        if (created.current) onCreated(created.current)
      }}
    >
      <fieldset class="choices">
        <legend>{apps.mayDo}</legend>
        {(['auth', 'admin'] as const).map((each) => (
          <label key={each} class="choice">
            <input type="radio" name="key-role" checked={role === each} onChange={() => setRole(each)} />
            <span>
              <strong>{apps.keyRoles[each]}</strong>
              <small>{apps.keyRoleSentences[each]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {role === 'auth' ? (
        <label class="field">
          <span>{apps.forApp}</span>
          <select value={domain} onChange={({ currentTarget }) => setDomain(currentTarget.value)}>
            <option value="">{apps.allApps}</option>
            {session.domains.map(({ id, name }) => (
              <option key={id} value={id}>
                {printable(name)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </Confirm>
  )
}

interface KeyDialogProps {
  readonly created: CreatedKey
  readonly onClose: () => void
}

/** The key and what to do with it. */
export function KeyDialog({ created: { key, domain }, onClose }: KeyDialogProps) {
  const words = useWords()
  const { apps } = words
  const lines = [
    'MFA_BASE_URL=https://mfa.example.com/api',
    `MFA_API_KEY=${key}`,
    `MFA_DOMAIN_ID=${domain ?? ''}`,
  ].join('\n')
  return (
    <Dialog title={apps.keyCreated} onClose={onClose}>
      {(close) => (
        <>
          <p class="sentence">{apps.keyOnce}</p>
          <pre class="code" dir="ltr">
            {domain === null ? key : lines}
          </pre>
          {domain === null ? null : <p class="sentence">{apps.linesSentence}</p>}
          <div class="stacked">
            <CopyButton text={key} label={apps.copyKey} done={words.copied} />
            {domain === null ? null : <CopyButton text={lines} label={apps.copyLines} done={words.copied} />}
            <Button class="filled" onClick={close} label={words.done} />
          </div>
        </>
      )}
    </Dialog>
  )
}
