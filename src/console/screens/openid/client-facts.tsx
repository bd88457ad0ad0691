import type { OidcClient } from '../../../admin-contract/oidc-clients.ts'
import { Facts } from '../../parts/facts.tsx'
import { useWords } from '../../words/speech.tsx'
import { partsOf } from './client-fields.tsx'
import { useIsKnownKind } from './client-state.ts'
import { draftOfClient, filledFields, shownFields } from './draft.ts'
import { useValueText } from './value-text.ts'
import { useOpenIdWords } from './words.ts'

/** The settings of a client for those who may only read them, and of a kind that only a newer console can change. */
export function ClientFacts({ client }: { readonly client: OidcClient }) {
  const { apps } = useWords()
  const texts = useOpenIdWords()
  const textOf = useValueText()
  const isKnown = useIsKnownKind()
  const draft = draftOfClient(client)
  return (
    <section class="card settings">
      <p class="sentence">{apps.readOnly}</p>
      {partsOf(isKnown(client.kind) ? shownFields(client.kind, draft) : filledFields(draft)).map(([part, fields]) => (
        <section key={part}>
          <h2>{texts.parts[part]}</h2>
          <Facts
            facts={fields.map((field) => ({
              label: texts.fields[field.name].label,
              value: <bdi class="lines">{textOf(field, draft[field.name])}</bdi>,
            }))}
          />
        </section>
      ))}
    </section>
  )
}
