import { useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { parseActivationCode } from '../../device/service-url.ts'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/messages.tsx'
import { Card } from '../parts/card.tsx'
import type { CameraTrouble } from '../../ui/camera.ts'
import { Viewfinder } from '../parts/viewfinder.tsx'
import { useWords } from '../words/speech.tsx'

interface ScanScreenProps {
  readonly clock: Clock
  /** Receives the text of a QR code that may be an activation link or a code. */
  readonly onRead: (text: string) => void
  readonly onCancel: () => void
}

type ScanResult = CameraTrouble | 'scanOther'

/** Scans with the camera, while the page is visible. */
export function ScanScreen({ clock, onRead, onCancel }: ScanScreenProps) {
  const words = useWords()
  const [scanResult, setSeen] = useState<ScanResult>()

  function read(text: string) {
    if (isActivation(text)) onRead(text)
    else setSeen('scanOther')
  }
  return (
    <Card title={words.scanTitle}>
      <p class="sentence">{words.scanSentence}</p>
      <Viewfinder clock={clock} onText={read} onTrouble={setSeen} />
      <Problem text={scanResult && words[scanResult]} />
      <Button class="outlined wide" onClick={onCancel} label={words.scanType} />
    </Card>
  )
}

/** Accepts links to other addresses, too: the next screen explains what is wrong with them, as for a typed link. */
function isActivation(text: string): boolean {
  return /^https?:.*#(code|move)=/.test(text) || parseActivationCode(text) !== undefined
}
