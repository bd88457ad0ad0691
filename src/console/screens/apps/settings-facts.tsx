import type { DomainSettings } from '../../../admin-contract/domains.ts'
import { Facts } from '../../parts/facts.tsx'
import { useWords } from '../../words/speech.tsx'
import { useSettingText } from './setting-text.ts'
import { settingParts } from './settings.ts'

/** The settings for those who may only read them. */
export function SettingsFacts({ domain }: { readonly domain: DomainSettings }) {
  const { apps } = useWords()
  const textOf = useSettingText()
  return (
    <section class="card settings">
      <p class="sentence">{apps.readOnly}</p>
      {settingParts.map(([part, names]) => (
        <section key={part}>
          <h2>{apps.parts[part]}</h2>
          <Facts
            facts={names.map((name) => ({
              label: apps.fields[name].label,
              value: <bdi>{textOf(domain, name)}</bdi>,
              note: apps.fields[name].sentence,
            }))}
          />
        </section>
      ))}
    </section>
  )
}
