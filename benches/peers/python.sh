# Sourced by the scripts beside it.

# Packages of a requirements file in an environment of their own, made anew when the file has changed: python_of WHAT FOLDER FILE
python_of() {
    if cmp -s "$3" "$2/requirements.txt"; then return; fi
    echo "── installing $1"
    rm -rf "$2"
    python3 -m venv "$2"
    "$2/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$3"
    cp "$3" "$2/requirements.txt"
}
export PYTHONDONTWRITEBYTECODE=1
