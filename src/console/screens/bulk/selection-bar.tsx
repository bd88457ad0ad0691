import { useState } from 'preact/hooks'

import type { BulkAction } from '../../../admin-contract/bulk-jobs.ts'
import { Button } from '../../../ui/button.tsx'
import { lazyScreen } from '../../../ui/lazy-screen.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'
import type { Selection } from './selection.ts'

const BulkDialog = lazyScreen(async () => (await import('./bulk-dialog.tsx')).BulkDialog)

interface SelectionBarProps {
  readonly selection: Selection
  /** How many people were chosen; undefined for everyone whom the search finds. */
  readonly chosenCount: number | undefined
  /** Whether the search finds more people than are shown. */
  readonly more: boolean
  readonly onAll: () => void
  readonly onNone: () => void
}

/** The actions for the people who were chosen in the list. */
export function SelectionBar({ selection, chosenCount, more, onAll, onNone }: SelectionBarProps) {
  const { bulk } = useWords()
  const { count } = useNumbers()
  const { role } = useSignedIn().session.administrator
  const [chosenAction, setAsked] = useState<BulkAction>()
  const actions: readonly BulkAction[] =
    role === 'helpdesk' ? ['enrollment_mail'] : ['unlock', 'enrollment_mail', 'remove_member']
  return (
    <section class="selection-bar" aria-label={bulk.selection}>
      <div class="chosen">
        <p role="status">{chosenCount === undefined ? bulk.allChosen : bulk.chosen(count(chosenCount))}</p>
        {more && chosenCount !== undefined ? <Button class="link" onClick={onAll} label={bulk.chooseAll} /> : null}
        <Button class="link" onClick={onNone} label={bulk.chooseNone} />
      </div>
      <div class="buttons inline">
        {actions.map((action) => (
          <Button key={action} class="outlined" onClick={() => setAsked(action)} label={bulk.actions[action].button} />
        ))}
      </div>
      {chosenAction ? (
        <BulkDialog action={chosenAction} selection={selection} onClose={() => setAsked(undefined)} />
      ) : null}
    </section>
  )
}
