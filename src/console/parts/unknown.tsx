import { Page } from './page.tsx'
import { Link } from '../session/router.tsx'
import { useWords } from '../words/speech.tsx'

/** The page of an address that leads to nothing, or to what the role does not see. */
export function UnknownScreen() {
  const words = useWords()
  return (
    <Page title={words.unknownPage} sentence={words.unknownPageSentence}>
      <p>
        <Link to="" class="button outlined">
          {words.toStart}
        </Link>
      </p>
    </Page>
  )
}
