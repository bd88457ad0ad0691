import { useEffect, useRef, useState } from 'preact/hooks'

import { type CameraTrouble, openCamera } from '../../../ui/camera.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { useWords } from '../../words/speech.tsx'
import { watchForBarcodes } from './barcodes.ts'

interface ScanDialogProps {
  /** @param text What was read; undefined when the person gave up. */
  readonly onClose: (text: string | undefined) => void
}

/** The picture of the camera, until it shows a barcode. */
export function ScanDialog({ onClose }: ScanDialogProps) {
  const words = useWords()
  const { stock } = words
  const video = useRef<HTMLVideoElement>(null)
  const read = useRef<string>(undefined)
  const [trouble, setTrouble] = useState<CameraTrouble>()

  useEffect(() => {
    const screen = video.current
    if (!screen) return undefined
    const stop = new AbortController()
    const start = async () => {
      const cameraTrouble = await openCamera(screen, stop.signal)
      if (stop.signal.aborted) return
      setTrouble(cameraTrouble)
      if (cameraTrouble) return
      await watchForBarcodes(screen, stop.signal, (text) => {
        read.current = text
        screen.closest('dialog')?.close()
      })
    }
    void start()
    return () => stop.abort()
  }, [])

  return (
    <Dialog title={stock.scan} onClose={() => onClose(read.current)}>
      {(close) => (
        <>
          <p class="sentence">{stock.scanSentence}</p>
          <video ref={video} class="barcode-view" muted playsInline aria-hidden="true" />
          <Problem text={trouble && stock[trouble]} />
          <div class="actions">
            <Button class="outlined" onClick={close} label={words.cancel} />
          </div>
        </>
      )}
    </Dialog>
  )
}
