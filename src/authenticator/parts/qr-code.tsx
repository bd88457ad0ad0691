import { encodeQR } from 'qr'

interface QrCodeProps {
  readonly text: string
  /** The name that screen readers say. */
  readonly label: string
}

/** Dark on light in both schemes, as scanners expect. */
export function QrCode({ text, label }: QrCodeProps) {
  const svg = encodeQR(text, 'svg', { border: 2 })
  return <img class="qr-code" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />
}
