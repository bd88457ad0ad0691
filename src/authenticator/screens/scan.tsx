import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../clock.ts'
import { parseActivationCode } from '../../device/service-url.ts'
import { Button } from '../button.tsx'
import { Card, Problem } from '../card.tsx'
import { type CameraTrouble, openCamera } from '../camera.ts'
import { watchForCodes } from '../qr-reader.ts'
import { useVisible } from '../use-visible.ts'
import { useWords } from '../words/speech.tsx'

interface ScanScreenProps {
  readonly clock: Clock
  /** Receives the text of a QR code that may be an activation link or a code. */
  readonly onRead: (text: string) => void
  readonly onCancel: () => void
}

type Seen = CameraTrouble | 'scanOther'

/** Scans with the camera, while the page is visible. */
export function ScanScreen({ clock, onRead, onCancel }: ScanScreenProps) {
  const words = useWords()
  const video = useRef<HTMLVideoElement>(null)
  const [started, setStarted] = useState(false)
  const [seen, setSeen] = useState<Seen>()
  const visible = useVisible()

  useEffect(() => {
    const screen = video.current
    if (!screen || !visible.now) return undefined
    const stop = new AbortController()
    const scan = async () => {
      const trouble = await openCamera(screen, stop.signal)
      if (trouble) return setSeen(trouble)
      if (stop.signal.aborted) return undefined
      setStarted(true)
      return watchForCodes(screen, clock, stop.signal, (text) => {
        if (isActivation(text)) onRead(text)
        else setSeen('scanOther')
      })
    }
    void scan()
    return () => stop.abort()
  }, [visible.now])

  return (
    <Card title={words.scanTitle}>
      <p class="sentence">{words.scanSentence}</p>
      <div class="viewfinder">
        <video ref={video} class={started ? 'on' : ''} muted playsInline aria-hidden="true" />
        {started || seen ? null : <p role="status">{words.scanStarting}</p>}
      </div>
      <Problem text={seen && words[seen]} />
      <Button class="outlined wide" onClick={onCancel} label={words.scanType} />
    </Card>
  )
}

/** Accepts links to other addresses, too: the next screen explains what is wrong with them, as for a typed link. */
function isActivation(text: string): boolean {
  return /^https?:.*#code=/.test(text) || parseActivationCode(text) !== undefined
}
