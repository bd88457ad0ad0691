/** The time between two frames, milliseconds. */
const frameInterval = 150

/** The part of the Barcode Detection API that the console needs; only some browsers have it (wicg.github.io/shape-detection-api). */
interface BarcodeDetector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>
}

/** Calls back with the first barcode that the camera sees, unless `signal` aborts before. */
export async function watchForBarcodes(
  video: HTMLVideoElement,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  const { BarcodeDetector: Detector } = globalThis as unknown as { BarcodeDetector: new () => BarcodeDetector }
  const detector = new Detector()
  while (!signal.aborted) {
    // Most frames contain no code, and the first ones no picture, for which it rejects.
    const [code] = await detector.detect(video).catch(() => [])
    if (signal.aborted) return
    const text = code?.rawValue.trim() ?? ''
    if (text !== '') return onText(text)
    await new Promise((resolve) => setTimeout(resolve, frameInterval))
  }
}
