import { useState } from 'preact/hooks'

import type { DomainSettings } from '../../../admin-contract/domains.ts'
import { isolated, printable } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode } from '../../client/errors.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { SettingField } from './setting-field.tsx'
import { useSettingText } from './setting-text.ts'
import {
  changesOf,
  differing,
  settingParts,
  type SettingChanges,
  type SettingName,
  type Settings,
  usesPasskeys,
} from './settings.ts'

interface SettingsFormProps {
  readonly domain: DomainSettings
  readonly onName: (name: string) => void
  readonly onSaved: (changes: SettingChanges) => Promise<void>
}

/** The settings of an app. What was typed stays when another administrator was faster. */
export function SettingsForm({ domain, onName, onSaved }: SettingsFormProps) {
  const { apps } = useWords()
  const { client } = useSignedIn()
  const say = useToast()
  const textOf = useSettingText()
  const changer = useLastChanger(domain.id)
  const { busy, problem, showProblem, run } = useAttempt()
  const [before, setBefore] = useState(domain)
  const [settings, setTyped] = useState<Settings>(domain)
  const [isAsking, setAsking] = useState(false)
  const params = { domainId: domain.id }
  const changes = changesOf(before, settings)

  function type(change: SettingChanges) {
    setTyped((current) => ({ ...current, ...change }))
    if (change.name !== undefined) onName(change.name)
  }
  async function save() {
    try {
      await client.call('PUT /admin/domains/:domainId', { params, body: changes }, { version: before.version })
    } catch (error) {
      if (hasCode(error, 'api.error.precondition')) return showChanged()
      if (!hasCode(error, 'api.error.conflict.state')) throw error
      return showProblem(refusalOf(changes))
    }
    say(apps.saved(isolated(settings.name)))
    await onSaved(changes)
  }

  /** The values that another administrator has saved are the new beginning; only the values typed here differ. */
  async function showChanged() {
    const now = await client.call('GET /admin/domains/:domainId', { params })
    const moved = differing(before, now).map((name) =>
      apps.valueNow(apps.fields[name].label, isolated(textOf(now, name))),
    )
    setBefore(now)
    setTyped({ ...now, ...changes })
    onName(changes.name ?? now.name)
    showProblem(apps.meanwhile(await changer(), moved.join(' · ')))
  }

  /** The service has one code for what its rules do not allow. */
  const refusalOf = ({ name, keyType }: SettingChanges): string =>
    [
      name !== undefined && apps.nameTaken,
      keyType !== undefined && apps.keyTypeInUse,
      !usesPasskeys(settings) && settings.phishingResistant !== 'off' && apps.noPasskeys,
    ]
      .filter((text) => text !== false)
      .join(' ')

  function submit() {
    if (busy) return
    if (Object.keys(changes).length === 0) return showProblem(apps.unchanged)
    if (changes.phishingResistant === 'require') return setAsking(true)
    void run(save)
  }
  return (
    <>
      <form
        class="card form settings"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {settingParts.map(([part, names]) => (
          <section key={part} aria-labelledby={part}>
            <h2 id={part}>{apps.parts[part]}</h2>
            {names.map((name: SettingName) => (
              <SettingField key={name} name={name} settings={settings} onChange={type} />
            ))}
          </section>
        ))}
        <Problem text={problem} />
        <div class="buttons">
          <Button type="submit" class="filled" aria-disabled={busy} label={apps.save} />
        </div>
      </form>
      {isAsking ? (
        <Confirm
          title={apps.lockoutTitle(isolated(before.name))}
          action={apps.save}
          onConfirm={save}
          onClose={() => setAsking(false)}
        >
          <p>{apps.lockout}</p>
        </Confirm>
      ) : null}
    </>
  )
}

/** Names who changed an app last, as far as the trail shows it yet. */
function useLastChanger(domain: string): () => Promise<string> {
  const { audit } = useWords()
  const { client } = useSignedIn()
  return async () => {
    const page = await client
      .call('GET /admin/audit', { query: { event: 'domain.changed', domain } })
      .catch(() => undefined)
    const actor = page?.entries[0]?.actor
    if (!actor) return audit.actors.administrator
    return page.names[actor.id] === undefined
      ? audit.actors[actor.kind]
      : isolated(printable(page.names[actor.id] ?? ''))
  }
}
