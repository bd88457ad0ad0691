import { useSignedIn } from '../session/session.tsx'
import { useLoad } from '../hooks/use-load.ts'

interface QrCodeProps {
  readonly text: string
  /** The name that screen readers say. */
  readonly label: string
}

/** Dark on light in both schemes, as scanners expect. Without it there is still the text that it stands for. */
export function QrCode({ text, label }: QrCodeProps) {
  const { client } = useSignedIn()
  const { value, problem } = useLoad(text, () => client.call('POST /admin/qr-codes', { body: { text } }))
  if (problem !== undefined) return null
  if (!value) return <div class="qr-code" />
  return <img class="qr-code" src={`data:image/svg+xml,${encodeURIComponent(value.svg)}`} alt={label} />
}
