import { useEffect, useRef, useState } from 'preact/hooks'

import type { Clock } from '../../ground/clock.ts'
import { type CameraTrouble, openCamera } from '../../ui/camera.ts'
import { watchForCodes } from './qr-reader.ts'
import { useVisible } from '../hooks/use-visible.ts'
import { useWords } from '../words/speech.tsx'

interface ViewfinderProps {
  readonly clock: Clock
  /** Receives the text of each QR code that the camera sees. */
  readonly onText: (text: string) => void
  readonly onTrouble: (trouble: CameraTrouble) => void
}

/** The picture of the camera, which is on while the page is visible. */
export function Viewfinder({ clock, onText, onTrouble }: ViewfinderProps) {
  const words = useWords()
  const video = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<'starting' | 'started' | 'failed'>('starting')
  const visible = useVisible()

  useEffect(() => {
    const screen = video.current
    if (!screen || !visible.now) return undefined
    const stop = new AbortController()
    const scan = async () => {
      const trouble = await openCamera(screen, stop.signal)
      if (stop.signal.aborted) return
      setState(trouble ? 'failed' : 'started')
      if (trouble) onTrouble(trouble)
      else await watchForCodes(screen, clock, stop.signal, onText)
    }
    void scan()
    return () => stop.abort()
  }, [visible.now])

  return (
    <div class="viewfinder">
      <video ref={video} class={state === 'started' ? 'on' : ''} muted playsInline aria-hidden="true" />
      {state === 'starting' ? <p role="status">{words.scanStarting}</p> : null}
    </div>
  )
}
