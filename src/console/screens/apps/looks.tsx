import { useId, useRef, useState } from 'preact/hooks'

import type { DomainSettings } from '../../../admin-contract/domains.ts'
import { isolated } from '../../../ground/printable.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { AppImage } from './app-image.tsx'
import { shrinkImage } from './shrink-image.ts'

interface LooksProps {
  readonly domain: DomainSettings
  /** The name that is typed now. */
  readonly name: string
  readonly changeable: boolean
}

/** Name and image as the authenticator shows them. */
export function Looks({ domain, name, changeable }: LooksProps) {
  const { apps } = useWords()
  const [version, setVersion] = useState(0)
  /** A chosen image that is not saved yet, as a data URL. */
  const [chosenImage, setChosen] = useState<string>()
  return (
    <section class="card" aria-labelledby="looks">
      <h2 id="looks">{apps.looks}</h2>
      <p class="sentence">{apps.looksSentence}</p>
      <div class="looks">
        {chosenImage === undefined ? (
          <AppImage domainId={domain.id} version={version} />
        ) : (
          <img class="app-image" alt="" src={chosenImage} />
        )}
        <p>{apps.signInTo(isolated(name))}</p>
      </div>
      {changeable ? (
        <ImageForm
          domain={domain}
          chosenImage={chosenImage}
          onChosen={setChosen}
          onSaved={() => {
            setChosen(undefined)
            setVersion(Date.now())
          }}
        />
      ) : null}
    </section>
  )
}

interface ImageFormProps {
  readonly domain: DomainSettings
  readonly chosenImage: string | undefined
  readonly onChosen: (image: string | undefined) => void
  readonly onSaved: () => void
}

function ImageForm({ domain: { id, name }, chosenImage, onChosen, onSaved }: ImageFormProps) {
  const words = useWords()
  const { apps } = words
  const { client } = useSignedIn()
  const say = useToast()
  const { busy, problem, showProblem, run } = useAttempt()
  const [removing, setRemoving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const hint = useId()
  const params = { domainId: id }

  async function choose(file: File | undefined) {
    if (!file) return
    showProblem(undefined)
    await shrinkImage(file).then(onChosen, () => showProblem(apps.noImage))
  }
  function clear() {
    if (input.current) input.current.value = ''
    onChosen(undefined)
  }
  async function save(image: string) {
    const png = image.slice(image.indexOf(',') + 1)
    await client.call('PUT /admin/domains/:domainId/image', { params, body: { png } })
    clear()
    say(apps.imageSaved)
    onSaved()
  }
  async function remove() {
    await client.call('DELETE /admin/domains/:domainId/image', { params })
    clear()
    say(apps.imageRemoved)
    onSaved()
  }
  return (
    <>
      <div class="field">
        <label>
          <span>{apps.chooseImage}</span>
          <input
            ref={input}
            type="file"
            accept="image/*"
            aria-describedby={hint}
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
          />
        </label>
        <small id={hint}>{apps.imageHint}</small>
      </div>
      <Problem text={problem} />
      <div class="buttons">
        {chosenImage === undefined ? (
          <Button class="outlined" onClick={() => setRemoving(true)} label={apps.removeImage} />
        ) : (
          <>
            <Button
              class="filled"
              aria-disabled={busy}
              onClick={() => busy || void run(() => save(chosenImage))}
              label={apps.useImage}
            />
            <Button class="outlined" onClick={clear} label={words.cancel} />
          </>
        )}
      </div>
      {removing ? (
        <Confirm
          title={apps.removeImageTitle(isolated(name))}
          action={apps.removeImage}
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          <p>{apps.removeImageSentence}</p>
        </Confirm>
      ) : null}
    </>
  )
}
