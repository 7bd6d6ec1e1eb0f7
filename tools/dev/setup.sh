#!/bin/bash
# Installs what building needs and this machine lacks: Debian packages, and .venv with the Python packages.
# ./run and ./test call it; when nothing is missing it takes no time and says nothing.  With --tests it installs what only
# tests need, too, with --cluster what clusters do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() {
  printf '\n%s\n' "$@" >&2
  exit 1
}

# Debian packages. ------------------------------------------------------------------------------------------

command -v dpkg-query >/dev/null || die "This needs a Debian 12 machine: dpkg is not here." \
  "Elsewhere, install what tools/dev/packages.txt names by other means."

lists=(tools/dev/packages.txt)
[[ ${1:-} == --tests ]] && lists+=(tools/dev/packages_test.txt)
[[ ${1:-} == --tests || ${1:-} == --cluster ]] && lists+=(tools/dev/packages_cluster.txt)
missing=()
while read -r package; do
  [[ -z $package || $package == \#* ]] && continue
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done < <(cat "${lists[@]}")

if ((${#missing[@]})); then
  echo "Installing Debian packages: ${missing[*]}"
  install="apt-get install -y --no-install-recommends ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || [[ -t 0 && -n $(command -v sudo) ]] || die \
      "Not root, and sudo does not work here without a password. As root, run:" "" \
      "    apt-get update && $install" "" "then start this again."
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq || true
  # Slim images lack the folder that Java's packages link their manual pages into.
  "${as_root[@]}" mkdir -p /usr/share/man/man1
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $install -qq >/dev/null || die \
    "apt-get could not install the packages above. Is there a network? To try by hand:" "" \
    "    apt-get update && $install"
fi

# Python packages. ------------------------------------------------------------------------------------------

# Debian's Python first: it is built with profile feedback, twice as fast as many others.
python=
for candidate in ${TENSORWRIGHT_PYTHON:-} /usr/bin/python3 python3; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] || die "No Python 3.11 or later found (set TENSORWRIGHT_PYTHON to name one)."

wanted=$(cat requirements.txt requirements-dev.txt)
if [[ ! -x .venv/bin/python || $(cat .venv/installed 2>/dev/null) != "$wanted" ]]; then
  echo "Making .venv: $("$python" --version) with requirements-dev.txt"
  [[ -x .venv/bin/python && -x .venv/bin/pip ]] || "$python" -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt || die \
    "pip could not install requirements-dev.txt. Is there a network (or a mirror in pip's own settings)?" \
    "Start this again when there is: what is installed already is kept."
  printf '%s\n' "$wanted" > .venv/installed
fi

# add_requirements NAME FILE...: installs the last file, unless .venv has what the files say.
add_requirements() {
  local noted=.venv/installed_$1 file=${*: -1} wanted
  shift
  wanted=$(cat "$@")
  [[ $(cat "$noted" 2>/dev/null) == "$wanted" ]] && return
  echo "Adding $file to .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$file" || die \
    "pip could not install $file. Is there a network (or a mirror in pip's own settings)?"
  printf '%s\n' "$wanted" > "$noted"
}
[[ ${1:-} == --tests ]] && add_requirements tests requirements-cluster.txt requirements-test.txt
[[ ${1:-} == --cluster ]] && add_requirements cluster requirements-cluster.txt

# Sources of PyPI packages. ---------------------------------------------------------------------------------

while read -r requirement; do
  [[ -z $requirement || $requirement == \#* ]] && continue
  name=${requirement/==/-}
  [[ -d .venv/src/$name ]] && continue
  echo "Unpacking the sources of $requirement in .venv/src"
  unpacked=$(mktemp -d .venv/src.XXXXXX)
  .venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary "${requirement%%==*}" \
    --dest "$unpacked" "$requirement" && tar -xzf "$unpacked/$name.tar.gz" -C "$unpacked" || die \
    "pip could not get the sources of $requirement. Is there a network (or a mirror in pip's own settings)?"
  mkdir -p .venv/src
  mv "$unpacked/$name" .venv/src/
  rm -rf "$unpacked"
done < requirements-src.txt
