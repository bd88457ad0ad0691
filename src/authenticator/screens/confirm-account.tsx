import type { Preview } from '../../contract/device-answers.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { Card, Facts } from '../parts/card.tsx'
import { fullNameOfUser } from '../accounts/user-name.ts'
import { useWords } from '../words/speech.tsx'

interface ConfirmAccountProps {
  readonly preview: Preview
  readonly busy: boolean
  readonly problem: string | undefined
  readonly onJoin: () => void
  readonly onCancel: () => void
}

/** The account that a code would add. */
export function ConfirmAccount({ preview, busy, problem, onJoin, onCancel }: ConfirmAccountProps) {
  const words = useWords()
  const { name: domain } = preview.domain
  const { name: organization } = preview.organization
  // An app without its own organization uses one name for both.
  const facts = [
    { label: words.domain, value: domain },
    ...(organization === domain ? [] : [{ label: words.organization, value: organization }]),
    { label: words.user, value: fullNameOfUser(preview.user) },
  ]
  return (
    <Card title={words.previewTitle}>
      <p class="sentence">{words.previewSentence}</p>
      <Facts facts={facts} />
      <Problem text={problem} />
      <div class="actions main-right">
        <Button class="outlined" disabled={busy} onClick={onCancel} label={words.cancel} />
        <Button class="filled" disabled={busy} onClick={onJoin} label={words.addThis} />
      </div>
    </Card>
  )
}
