import type { Clock } from '../../ground/clock.ts'

/** The time between two frames, milliseconds: a slow phone needs time to show the picture, too. */
const frameInterval = 120
/** Pixels of the longer side: enough for a code that fills a third of the picture. */
const maxSize = 720

/** Calls back for each code that the camera sees, until `signal` aborts. Loads the decoder on first use. */
export async function watchForCodes(
  video: HTMLVideoElement,
  clock: Clock,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const { default: decodeQR } = await import('qr/decode.js')
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d', { willReadFrequently: true })

  const look = () => {
    if (signal.aborted || !pen) return
    const text = readFrame()
    if (text !== undefined) onText(text)
    if (!signal.aborted) clock.after(frameInterval, look)
  }
  const readFrame = (): string | undefined => {
    const scale = Math.min(1, maxSize / Math.max(video.videoWidth, video.videoHeight, 1))
    canvas.width = Math.round(video.videoWidth * scale)
    canvas.height = Math.round(video.videoHeight * scale)
    if (!pen || canvas.width === 0) return undefined
    pen.drawImage(video, 0, 0, canvas.width, canvas.height)
    try {
      return decodeQR(pen.getImageData(0, 0, canvas.width, canvas.height))
    } catch {
      // Most frames contain no code.
      return undefined
    }
  }
  look()
}
