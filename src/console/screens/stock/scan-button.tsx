import { useState } from 'preact/hooks'

import { IconButton } from '../../../ui/button.tsx'
import { lazyScreen } from '../../../ui/lazy-screen.tsx'
import { scan } from '../../../ui/icons.ts'
import { useWords } from '../../words/speech.tsx'

const ScanDialog = lazyScreen(async () => (await import('./scan-dialog.tsx')).ScanDialog)

interface ScanButtonProps {
  /** Receives the text of a barcode. */
  readonly onText: (text: string) => void
}

/** Reads the serial number with the camera, in browsers that read barcodes. */
export function ScanButton({ onText }: ScanButtonProps) {
  const { stock } = useWords()
  const [open, setOpen] = useState(false)
  if (!('BarcodeDetector' in globalThis)) return null
  return (
    <>
      <IconButton icon={scan} label={stock.scan} onClick={() => setOpen(true)} />
      {open ? (
        <ScanDialog
          onClose={(text) => {
            setOpen(false)
            if (text !== undefined) onText(text)
          }}
        />
      ) : null}
    </>
  )
}
