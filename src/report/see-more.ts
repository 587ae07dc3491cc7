/**
 * How each reader gets at what a text leaves out: the one place that words it. The package is not published, so nobody is told to run it with
 * npx; change it here when it is.
 */
export const SEE_MORE = {
  /** In the comment of a pull request. */
  comment: 'The check run “Prelaunch audit” of this pull request has room for more.',
  /** In the summary of a check run, about findings that it names no more. */
  checkRunText: 'The annotations and the text below show more.',
  /** In a check run that is full. */
  checkRun: 'Fix what is listed, then press “Re-run” on this check: the next run shows the rest.',
  /** In a check run of a public repository, about findings that are older than the change. */
  existing: 'To see them here, set `publish: all` in `.github/prelaunch.yml` of the base branch and press “Re-run” on this check.',
  /** In a report that lists every finding itself. */
  report: 'Each is in this report, at its finding.',
  /** In the output of the command line. */
  commandLine: '`prelaunch audit --format json` lists all',
} as const

/** The command that checks a repository, as a code span with how to get it: for files that stay in the repository. */
export const CHECK_COMMAND = '`prelaunch audit .` (of a checkout of Prelaunch: `npm run -s prelaunch -- audit DIR`)'
