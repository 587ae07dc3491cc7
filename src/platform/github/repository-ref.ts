/** Which repository on which GitHub. */
export interface RepositoryRef {
  readonly id: number
  readonly owner: string
  readonly name: string
  /** `https://github.com/OWNER/NAME.git` or the same on a GitHub Enterprise Server. */
  readonly cloneUrl: string
  readonly private: boolean
  /** Web page. */
  readonly url: string
}
