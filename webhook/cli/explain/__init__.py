"""The outputs of `numagate explain`: text in lines, a page in HTML, JSON."""
